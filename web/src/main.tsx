/** The page's way in: by itself, in a notebook, or from the one file that holds everything. */
import "./theme.css"; // first, so that the rules of every part come after it
import { effect } from "@preact/signals";
import { render as draw } from "preact";
import { lessonOf } from "./learn/lessons";
import { App } from "./shell/App";
import { begin, follow } from "./shell/address";
import type { Source } from "./source";
import type { ModelFile } from "./local/config";
import { threaded } from "./local/ask";
import { embeddedSource, type Embedded } from "./source/embedded";
import { httpSource } from "./source/http";
import { localSource } from "./source/local";
import { widgetSource, type WidgetModel } from "./source/widget";
import { createState, type State } from "./state";
import { read } from "./url";

export interface Options {
  /** The page has the window to itself: its state is in the address bar, its keys work anywhere. */
  whole?: boolean;
  /** What to show first, written as the page's address ("view=flow&head=3"). */
  query?: string;
  /** Of an element in another page, in CSS pixels. */
  height?: number;
}

/** Draws the page into an element; returns what takes it away again. */
export function mount(element: HTMLElement, source: Source, options: Options = {}): () => void {
  const { whole = false, query = "", height = 640 } = options;
  const state = createState(source);
  const window = element.ownerDocument.defaultView as Window & typeof globalThis;
  element.classList.add("regard");
  if (whole) element.classList.add("regard--whole");
  else element.style.height = `${height}px`;

  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const update = () => (state.systemDark.value = system.matches);
  update();
  system.addEventListener("change", update);
  const stops = [
    () => system.removeEventListener("change", update),
    effect(() => element.setAttribute("data-theme", state.dark.value ? "dark" : "light")),
  ];
  if (whole) stops.push(titled(state, window));

  draw(<App state={state} whole={whole} />, element);
  let gone = false;
  void begin(state, read(query)).then(() => {
    if (whole && !gone) stops.push(follow(state, window));
  });
  return () => {
    gone = true;
    for (const stop of stops) stop();
    draw(null, element);
  };
}

function titled(state: State, window: Window): () => void {
  return effect(() => {
    const { value: learn } = state.learn;
    if (learn) {
      window.document.title = `${lessonOf(learn.lesson).title} · learn · regard`;
      return;
    }
    const trace = state.trace.value;
    window.document.title = trace ? `${trace.text.slice(0, 60)} · ${trace.model} · regard` : "regard";
  });
}

/** anywidget's way in. The model's traits: `query` (as in Options), `height`, and `abilities`. */
function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const abilities = { trace: false, ablate: true, export: false, explain: false, sample: false, open: false, ...(model.get("abilities") as object | undefined) };
  const source = widgetSource(model, abilities);
  const query = String(model.get("query") ?? "");
  const height = Number(model.get("height") ?? 0) || 640;
  const unmount = mount(el, source, { query, height });
  return () => {
    unmount();
    source.close();
  };
}

export default { render };

/** By itself: in a page that has the element, with the file's own trace, its own model or the server's. */
async function start(element: HTMLElement): Promise<void> {
  const kept = document.getElementById("regard-trace");
  const model = document.getElementById("regard-model");
  let query = window.location.search;
  let source: Source;
  if (kept) {
    const embedded = JSON.parse(kept.textContent ?? "") as Embedded;
    source = embeddedSource(embedded);
    if (!query) query = embedded.query ?? "";
  } else if (model) {
    const weights = document.getElementById("regard-weights")?.textContent ?? "";
    source = localSource(JSON.parse(model.textContent ?? "") as ModelFile, weights, threaded());
  } else if (import.meta.env.MODE === "fake") source = (await import("./source/fake")).fakeSource();
  else source = httpSource();
  mount(element, source, { whole: true, query });
}

const element = document.getElementById("regard");
if (element && !element.firstChild) void start(element);
