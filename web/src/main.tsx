/** The page's way in: by itself, in a notebook, or from the one file that holds everything. */
import "./theme.css"; // first, so that the rules of every part come after it
import "./shell/controls.css";
import { effect } from "@preact/signals";
import { render as draw } from "preact";
import { nameOfText } from "./image/grid";
import { sayIn } from "./words/words";
import { App } from "./shell/App";
import { begin, follow } from "./shell/address";
import { followHost, hidePicture, hostIsDark, keepKeys } from "./shell/notebook";
import type { ModelInfo, Source } from "./source";
import type {} from "./local/start"; // window.regardAsk
import { embeddedSource, type Embedded } from "./source/embedded";
import { httpSource } from "./source/http";
import { localSource } from "./source/local";
import { widgetSource, type WidgetModel } from "./source/widget";
import { createState, type State } from "./state";
import { read } from "./url";

export interface Options {
  /** The page has the window to itself: its state is in the address bar, its keys work anywhere. */
  whole?: boolean;
  /** View to open with, written as the page's address ("view=sentence&head=3"). */
  query?: string;
  /** Of an element in another page, in CSS pixels. */
  height?: number;
  /** Beginning of the address of the picture that stands for the page where it does not run. */
  picture?: string;
}

/** Draws the page into an element; returns what takes it away again. */
export function mount(element: HTMLElement, source: Source, options: Options = {}): () => void {
  const { whole = false, query = "", height = 640, picture = "" } = options;
  const state = createState(source);
  const window = element.ownerDocument.defaultView as Window & typeof globalThis;
  element.classList.add("regard");
  if (whole) element.classList.add("regard--whole");
  else element.style.setProperty("--rg-height", `${height}px`);

  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const host = () => (whole ? null : hostIsDark(window.document));
  const update = () => (state.systemDark.value = host() ?? system.matches);
  update();
  system.addEventListener("change", update);
  const stops = [
    () => system.removeEventListener("change", update),
    whole ? () => undefined : followHost(window.document, update),
    whole ? () => undefined : keepKeys(element),
    effect(() => element.setAttribute("data-theme", state.dark.value ? "dark" : "light")),
  ];
  if (whole) stops.push(titled(state, window));

  draw(<App state={state} whole={whole} />, element);
  let gone = false;
  void begin(state, read(query)).then(() => {
    if (gone) return;
    if (whole) stops.push(follow(state, window));
    if (state.trace.value) stops.push(hidePicture(window.document, picture));
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
      window.document.title = `${sayIn(state.language.value)(`lesson.${learn.lesson}.title`)} · learn · regard`;
      return;
    }
    const trace = state.trace.value;
    window.document.title = [...(trace ? [nameOfText(trace.text).slice(0, 60), trace.model] : []), "regard"].filter(Boolean).join(" · ");
  });
}

/** anywidget's way in. The model's traits: `query`, `height` and `picture` (as in Options), and `abilities`. */
function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const abilities = { trace: false, ablate: true, export: false, explain: false, open: false, ...(model.get("abilities") as object | undefined) };
  const source = widgetSource(model, abilities);
  const query = String(model.get("query") ?? "");
  const height = Number(model.get("height") ?? 0) || 640;
  const unmount = mount(el, source, { query, height, picture: String(model.get("picture") ?? "") });
  return () => {
    unmount();
    source.close();
  };
}

export default { render };

/** The texts of the elements that hold the weights, while the browser still reads the file. An element
 * is complete when another follows or the file ends. */
async function* pieces(): AsyncGenerator<string> {
  for (;;) {
    const whole = document.readyState !== "loading";
    for (const element of document.querySelectorAll("script[type='application/octet-stream']")) {
      if (!whole && !element.nextElementSibling) break;
      yield element.textContent ?? "";
      element.remove();
    }
    if (whole) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

/** By itself: in a page that has the element, with the file's own trace, its own model or the server's. */
function start(element: HTMLElement): void {
  const kept = document.getElementById("regard-trace");
  let query = window.location.search;
  let source: Source;
  if (kept) {
    const embedded = JSON.parse(kept.textContent ?? "") as Embedded;
    source = embeddedSource(embedded);
    if (!query) query = embedded.query ?? "";
  } else if (window.regardAsk) {
    const info = JSON.parse(textOf("regard-info") ?? "") as ModelInfo[];
    source = localSource(info, pieces(), window.regardAsk, () => textOf("regard-words") ?? "");
  } else source = httpSource();
  mount(element, source, { whole: true, query });
}

const element = document.getElementById("regard");
if (element && !element.firstChild) start(element);
