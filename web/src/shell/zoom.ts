/** One zoom, from the sentence to its map, to a cell of it, and to the products behind the cell. */
import { batch } from "@preact/signals";
import { closeUp, fit, zoom } from "../map/input/commands";
import { leave, playing } from "../play/game";
import type { Head } from "../source";
import { attempt, lookAt, type Position, type State } from "../state";

export const LEVELS = ["sentence", "map", "cell", "products"] as const;
export type Level = (typeof LEVELS)[number];

const CLOSE = 20; // columns of the map, where single cells are what is seen

export function levelOf({ view, drawer, viewport, focus }: Pick<State, "view" | "drawer" | "viewport" | "focus">): Level {
  if (drawer.value === "cell" && (view.value === "map" || focus.value)) return "products";
  if (view.value === "sentence") return "sentence";
  return viewport.value && viewport.value.columns <= CLOSE ? "cell" : "map";
}

/** Goes to a distance; a cell is the one in focus, else the word in question's strongest; products are of one head. */
export async function zoomTo(state: State, level: Level): Promise<void> {
  const cell = level === "cell" || level === "products" ? await cellInQuestion(state) : null;
  const head = cell && level === "products" ? await headAt(state, cell) : state.head.value;
  batch(() => {
    if (state.tap.value && head !== state.head.value) lookAt(state, state.tap.value, head);
    if (cell) state.focus.value = cell;
    if (level === "products") return void (state.drawer.value = "cell");
    if (state.drawer.value === "cell") state.drawer.value = "";
    if (level === "sentence" && playing(state)) void leave(state);
    state.view.value = level === "sentence" ? "sentence" : "map";
    if (level === "map") fit(state);
    if (cell) closeUp(state, cell);
  });
}

/** Comes closer, or goes farther away: beyond the map's ends to what comes before and after it. */
export function zoomBy(state: State, factor: number): boolean {
  const { view, viewport, drawer, focus } = state;
  if (view.value === "sentence") {
    if (factor > 1) view.value = "map";
    return factor > 1;
  }
  const before = viewport.value;
  if (factor < 1 && !before) view.value = "sentence";
  else zoom(state, factor);
  if (factor > 1 && before && viewport.value?.columns === before.columns && focus.value) drawer.value = "cell";
  return true;
}

async function cellInQuestion(state: State): Promise<Position | null> {
  const query = state.word.value?.rows.first ?? 0;
  return state.focus.value ?? attempt(state, async () => ({ query, key: await strongest(state, { query }) }));
}

/** In place of a mean over heads, the one with most weight at a cell. */
async function headAt(state: State, { query: row, key: column }: Position): Promise<Head> {
  const { trace: { value: trace }, tap: { value: tap }, head, source } = state;
  if (head.value !== "mean" || !trace || !tap) return head.value;
  const one = { tap: tap.name, level: 0, row, column, height: 1, width: 1, quantity: "weight", reduce: "max", group: "token", every: 1 } as const;
  const cells = await attempt(state, () => Promise.all(Array.from({ length: tap.heads }, (_, each) => source.tile(trace.id, { ...one, head: each }))));
  return cells?.reduce((best, { values }, each) => (values[0]! > cells[best]!.values[0]! ? each : best), 0) ?? head.value;
}

/** The position that a token's row, or column, has most weight at. */
export async function strongest(state: State, where: { query: number } | { key: number }): Promise<number> {
  const [{ value: trace }, { value: tap }] = [state.trace, state.tap];
  if (!trace || !tap) return 0;
  const { looks } = await state.source.looks(trace.id, { tap: tap.name, head: state.head.value, ...where, k: 1, quantity: "weight" });
  return looks[0]?.position ?? 0;
}
