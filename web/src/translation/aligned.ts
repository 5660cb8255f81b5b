/** The two sentences of a translation and the weights between their words. */
import { useMemo } from "preact/hooks";
import type { TapInfo, TraceInfo } from "../source";
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

/** The chosen layer if it is of cross-attention, else the one beside it, else the last. */
export function crossTap(crossed: readonly TapInfo[], chosen: TapInfo | null): TapInfo | null {
  return (
    crossed.find((each) => each.name === chosen?.name) ??
    crossed.find((each) => chosen?.side === "decoder" && each.layer === chosen.layer) ??
    crossed[crossed.length - 1] ??
    null
  );
}

export function useAligned(state: State, tap: TapInfo | null, step: StepChoice, pieces: "word" | "token") {
  const trace = state.trace.value;
  const wanted = state.head.value;
  const head = tap && wanted !== "mean" && wanted >= tap.heads ? 0 : wanted;
  const quantity = tap ? shownQuantity(state.quantity.value, tap) : "weight";
  const tokens = useLoaded(trace && tap ? JSON.stringify([trace.id, tap.name, head, quantity]) : null, async (signal) => {
    const [info, layer] = [trace as TraceInfo, tap as TapInfo];
    if (layer.rows * layer.columns > MOST_CELLS) throw new Error("this text is too long to show word by word; use the map or the flow");
    const rows = { first: 0, end: layer.rows };
    return { info, layer, head, quantity, map: await fetchRows(state.source, info.id, layer, head, quantity, rows, signal) };
  });
  const held = tokens.value;
  const aligned = useMemo((): Aligned | null => {
    const source = held?.info.axes[held.layer.keys];
    const target = held?.info.axes[held.layer.queries];
    if (!held || !source || !target) return null;
    const by = (axis: typeof source) => (knows(axis, pieces) ? pieces : "token");
    const keys = units(source, by(source));
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
