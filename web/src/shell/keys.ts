/** Keys: what each means, and what it does. */
import { turnBy } from "../learn/go";
import { fit, moveFocus } from "../map/input/commands";
import type { Head, TapInfo } from "../source";
import { ablate, ablationAt, lookAt, type State } from "../state";
import type { Key } from "../words/words";
import { zoomBy } from "./zoom";

/** Part of a key press that a command needs. */
export type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

/** Does what was asked; false where there is nothing to do, so that the browser may have the key. */
type Command = (state: State, press: Press, root: HTMLElement) => boolean | void;

const STEP = 10; // cells that an arrow goes with shift held

/** A command that no lesson has. */
const inspecting = (act: (state: State, tap: TapInfo, press: Press) => boolean | void): Command => (state, press) => {
  const tap = state.tap.value;
  return tap && !state.learn.value ? act(state, tap, press) : false;
};
const onMap = (act: (state: State, press: Press) => void) => inspecting((state, _, press) => (state.view.value === "map" ? act(state, press) : false));

const move = (rows: number, columns: number) =>
  onMap((state, { shiftKey }) => {
    const by = shiftKey ? STEP : 1;
    moveFocus(state, rows * by, columns * by);
  });
const turn = (by: number): Command => {
  const turnHead = inspecting((state, tap) => lookAt(state, tap, nextHead(tap, state.head.value, by)));
  return (state, press, root) => (state.learn.value ? turnBy(state, by) : turnHead(state, press, root));
};
const climb = (by: number) => inspecting((state, tap) => lookAt(state, nextLayer(state, tap, by), state.head.value));
const zoom = (factor: number) => inspecting((state) => zoomBy(state, factor));

/** In the order in which the list that `?` opens is read. */
export const KEYS: readonly { keys: string[]; means: Key; does?: Record<string, Command> }[] = [
  { keys: ["←", "↑", "→", "↓"], means: "key.move", does: { ArrowLeft: move(0, -1), ArrowUp: move(-1, 0), ArrowRight: move(0, 1), ArrowDown: move(1, 0) } },
  { keys: ["["], means: "key.head.previous", does: { "[": turn(-1) } },
  { keys: ["]"], means: "key.head.next", does: { "]": turn(1) } },
  { keys: ["{"], means: "key.layer.previous", does: { "{": climb(-1) } },
  { keys: ["}"], means: "key.layer.next", does: { "}": climb(1) } },
  { keys: ["+", "−"], means: "key.zoom", does: { "+": zoom(1.5), "=": zoom(1.5), "-": zoom(1 / 1.5) } },
  { keys: ["0"], means: "key.fit", does: { "0": onMap(fit) } },
  { keys: ["s"], means: "key.sink", does: { s: inspecting(({ sinkless }) => void (sinkless.value = !sinkless.value)) } },
  { keys: ["f"], means: "key.find", does: { f: (_, __, root) => goTo(root, ".rg-find > input") } },
  { keys: ["l"], means: "key.lock", does: { l: inspecting(lock) } },
  { keys: ["e"], means: "key.equation", does: { e: inspecting(({ drawer }) => void (drawer.value = drawer.value === "cell" ? "" : "cell")) } },
  { keys: ["a"], means: "key.ablate", does: { a: inspecting(ablateHere) } },
  { keys: ["x"], means: "key.strike", does: { x: strike } },
  { keys: ["p"], means: "key.pull", does: { p: pull } },
  { keys: ["/"], means: "key.text", does: { "/": (_, __, root) => goTo(root, ".rg-line, .rg-sentence__text") } },
  { keys: ["enter"], means: "key.enter" },
  { keys: ["?"], means: "key.help", does: { "?": ({ help }) => void (help.value = !help.value) } },
  { keys: ["esc"], means: "key.close", does: { Escape: close } },
];
const COMMANDS: Record<string, Command> = Object.assign({}, ...KEYS.map(({ does }) => does));

/** Does what a key means; false for one that means nothing here, such as a browser's own. */
export function obey(state: State, press: Press, root: HTMLElement): boolean {
  const command = COMMANDS[press.key];
  return command !== undefined && !(press.ctrlKey || press.metaKey || press.altKey) && command(state, press, root) !== false;
}

/** True if the focused element would use this key: letters go to a text field, arrows to a list. */
export function taken(element: { tagName: string; type?: string; role: string | null }, { key }: Pick<Press, "key">): boolean {
  if (key === "Escape") return false;
  const tag = element.tagName.toLowerCase();
  const typing = tag === "textarea" || tag === "select" || (tag === "input" && element.type !== "checkbox");
  if (typing) return true;
  return key.startsWith("Arrow") && ["tab", "slider", "menuitem", "option", "radio", "listbox"].includes(element.role ?? "");
}

/** The word of a sentence under the pointer, else the focused one. */
function wordOf(root: HTMLElement): HTMLElement | null {
  return root.querySelector<HTMLElement>("li:hover > [data-word]") ?? root.querySelector<HTMLElement>("li:focus-within > [data-word]");
}

function strike(_: State, __: Press, root: HTMLElement): boolean {
  const button = wordOf(root)?.parentElement?.querySelector<HTMLElement>(".rg-translation__strike");
  button?.click();
  return !!button;
}

/** Takes the word's ribbon. */
function pull(_: State, __: Press, root: HTMLElement): boolean {
  const [side, index] = wordOf(root)?.dataset["word"]?.split(" ") ?? [];
  const handle = side === "output" ? root.querySelector<HTMLElement>(`[data-handle="${index}"]`) : null;
  handle?.focus();
  return !!handle;
}

function goTo(root: HTMLElement, field: string): boolean {
  const text = root.querySelector<HTMLTextAreaElement | HTMLInputElement>(field);
  text?.focus();
  text?.select();
  return !!text;
}

function close(state: State): boolean {
  if (state.cancel.value) state.cancel.value();
  else if (state.help.value) state.help.value = false;
  else if (state.drawer.value) state.drawer.value = "";
  else if (state.focus.value) state.focus.value = null;
  else return false;
  return true;
}

function lock({ hover, focus, locked }: State): boolean {
  const query = (hover.value ?? focus.value)?.query;
  if (query === undefined) return false;
  const others = locked.value.filter((each) => each !== query);
  locked.value = others.length < locked.value.length ? others : [...others, query].sort((a, b) => a - b);
  return true;
}

function ablateHere(state: State): boolean {
  const at = state.hover.value ?? state.focus.value;
  if (!at) return false;
  state.focus.value = at;
  state.drawer.value = "cell";
  void ablate(state, ablationAt(state, "edge", at));
  return true;
}

/** Heads in order, then their mean, then the first again. */
export function nextHead(tap: TapInfo, head: Head, by: number): Head {
  const count = tap.heads + 1;
  const next = ((head === "mean" ? tap.heads : head) + by + count) % count;
  return next === tap.heads ? "mean" : next;
}

/** Layers of the same side and kind, without running over an end. */
function nextLayer(state: State, tap: TapInfo, by: number): TapInfo {
  const taps = state.trace.value?.taps ?? [];
  const layers = taps.filter((each) => each.side === tap.side && each.kind === tap.kind).sort((a, b) => a.layer - b.layer);
  const place = layers.findIndex((each) => each.name === tap.name) + by;
  return layers[Math.max(0, Math.min(layers.length - 1, place))] ?? tap;
}
