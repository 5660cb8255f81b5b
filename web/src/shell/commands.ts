/** Commands of the keyboard. */
import type { Command } from "./keys";
import { turnBy } from "../learn/go";
import { fit, moveFocus } from "../map/input/commands";
import type { Head, TapInfo } from "../source";
import { ablate, ablationAt, lookAt, type State } from "../state";
import { zoomBy } from "./zoom";

/** Does what was asked; false where there is nothing to do, so that the browser may have the key. */
export function obey(state: State, wanted: Command, root: HTMLElement): boolean {
  if (wanted.do === "help") {
    state.help.value = !state.help.value;
    return true;
  }
  if (wanted.do === "close") return close(state);
  if (wanted.do === "text") {
    const text = root.querySelector<HTMLTextAreaElement | HTMLInputElement>(".rg-line, .rg-sentence__text");
    text?.focus();
    text?.select();
    return !!text;
  }
  if (wanted.do === "strike" || wanted.do === "pull") return atWord(root, wanted.do);
  if (state.learn.value) return wanted.do === "head" && turnBy(state, wanted.by);
  const tap = state.tap.value;
  if (!tap) return false;
  const onMap = state.view.value === "map";
  switch (wanted.do) {
    case "head":
      lookAt(state, tap, nextHead(tap, state.head.value, wanted.by));
      return true;
    case "layer":
      lookAt(state, nextLayer(state, tap, wanted.by), state.head.value);
      return true;
    case "move":
      if (onMap) moveFocus(state, wanted.rows, wanted.columns);
      return onMap;
    case "zoom":
      return zoomBy(state, wanted.factor);
    case "fit":
      if (onMap) fit(state);
      return onMap;
    case "equation":
      state.drawer.value = state.drawer.value === "cell" ? "" : "cell";
      return true;
    case "lock":
      return lock(state);
    case "ablate": {
      const at = state.hover.value ?? state.focus.value;
      if (!at) return false;
      state.focus.value = at;
      state.drawer.value = "cell";
      void ablate(state, ablationAt(state, "edge", at));
      return true;
    }
  }
}

/** Strikes out the word of a sentence under the pointer, else the focused one; or takes its ribbon. */
function atWord(root: HTMLElement, what: "strike" | "pull"): boolean {
  const word = root.querySelector<HTMLElement>("li:hover > [data-word]") ?? root.querySelector<HTMLElement>("li:focus-within > [data-word]");
  const [side, index] = word?.dataset["word"]?.split(" ") ?? [];
  if (what === "strike") {
    const button = word?.parentElement?.querySelector<HTMLElement>(".rg-translation__strike");
    button?.click();
    return !!button;
  }
  const handle = side === "output" ? root.querySelector<HTMLElement>(`[data-handle="${index}"]`) : null;
  handle?.focus();
  return !!handle;
}

function close(state: State): boolean {
  if (state.cancel.value) state.cancel.value();
  else if (state.help.value) state.help.value = false;
  else if (state.drawer.value) state.drawer.value = "";
  else if (state.focus.value) state.focus.value = null;
  else return false;
  return true;
}

function lock(state: State): boolean {
  const query = (state.hover.value ?? state.focus.value)?.query;
  if (query === undefined) return false;
  const locked = state.locked.value;
  state.locked.value = locked.includes(query)
    ? locked.filter((each) => each !== query)
    : [...locked, query].sort((a, b) => a - b);
  return true;
}

/** Heads in order, then their mean, then the first again. */
export function nextHead(tap: TapInfo, head: Head, by: number): Head {
  const count = tap.heads + 1;
  const next = ((head === "mean" ? tap.heads : head) + by + count) % count;
  return next === tap.heads ? "mean" : next;
}

/** Layers of the same side and kind, without running over an end. */
export function nextLayer(state: State, tap: TapInfo, by: number): TapInfo {
  const layers = layersBeside(state, tap);
  const place = layers.findIndex((each) => each.name === tap.name) + by;
  return layers[Math.max(0, Math.min(layers.length - 1, place))] ?? tap;
}

export function layersBeside(state: State, tap: TapInfo): TapInfo[] {
  const taps = state.trace.value?.taps ?? [];
  return taps.filter((each) => each.side === tap.side && each.kind === tap.kind).sort((a, b) => a.layer - b.layer);
}
