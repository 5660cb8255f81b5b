/** The two sentences of a translation and the weights between their words. */
import { useMemo } from "preact/hooks";
import type { TapInfo, TraceInfo } from "../source";
import { chosen, slotsOf } from "../flow/heads";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import { fetchRows, grouped, shownQuantity, type Weights } from "../weights/matrix";
import { knows, units, type Unit } from "../weights/units";
import { THINNEST_SHARE } from "./ribbons";
import { outputWords, shares, type OutputWord, type StepChoice } from "./sentences";

/** One moment's sentences and weights, whole while the next loads. */
export interface Aligned {
  trace: TraceInfo;
  tap: TapInfo;
  head: number | "mean";
  quantity: "weight" | "norm";
  step: StepChoice;
  source: Unit[];
  output: OutputWord[];
  tokens: Weights;
  values: Weights; // by word
  shares: Weights; // of each row
}

const MOST_CELLS = 1 << 20;

/** True where the sentence is two, with ribbons between: one head of cross-attention of texts that can be shown word by word. */
export function ribboned(state: State): boolean {
  const { value: tap } = state.tap;
  return tap?.kind === "cross" && tap.rows * tap.columns <= MOST_CELLS && chosen(slotsOf(state)).length === 1;
}

export function useAligned(state: State, step: StepChoice, pieces: "word" | "token") {
  const trace = state.trace.value;
  const tap = state.tap.value;
  const head = state.head.value;
  const quantity = tap ? shownQuantity(state.quantity.value, tap) : "weight";
  const tokens = useLoaded(trace && tap ? JSON.stringify([trace.id, tap.name, head, quantity]) : null, async (signal) => {
    const [info, layer] = [trace as TraceInfo, tap as TapInfo];
    const rows = { first: 0, end: layer.rows };
    return { info, layer, head, quantity, map: await fetchRows(state.source, info.id, layer, head, quantity, rows, signal) };
  });
  const held = tokens.value;
  const aligned = useMemo((): Aligned | null => {
    const source = held?.info.axes[held.layer.keys];
    const target = held?.info.axes[held.layer.queries];
    if (!held || !source || !target) return null;
    const by = (axis: typeof source) => (knows(axis, pieces) ? pieces : "token");
    const keys = units(source, source.peaks ? "word" : by(source));
    const output = outputWords(target, by(target), step);
    const values = grouped(held.map, output.map((word) => word.rows), keys);
    const { info, layer, map } = held;
    return {
      trace: info, tap: layer, head: held.head, quantity: held.quantity, step, source: keys, output,
      tokens: map, values, shares: shares(values),
    };
  }, [held, step, pieces]);
  return { aligned, loading: tokens.loading, error: tokens.error };
}

/** How loud each position of the source is, where it is a sound. */
export const peaksOf = ({ trace, tap }: Aligned): readonly number[] | null => trace.axes[tap.keys]?.peaks ?? null;

/** The share of the looks that no ribbon shows, over the rows there are. */
export function leftOut({ shares: { values, height, width } }: Aligned): number {
  let [rows, shown] = [0, 0];
  for (let row = 0; row < height; row++) {
    const cells = values.subarray(row * width, (row + 1) * width);
    if (!cells.some((value) => value > 0)) continue;
    rows++;
    for (const value of cells) if (value >= THINNEST_SHARE) shown += value;
  }
  return rows ? Math.max(0, 1 - shown / rows) : 0;
}
