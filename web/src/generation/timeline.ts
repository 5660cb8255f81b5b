/** Rows of a map for each step, and long passages shortened. */
import type { GenerationInfo, TapInfo } from "../source";

/** The row whose output a step was chosen from: the position before the one it then filled. */
export function rowOf(prompt: number, step: number): number | null {
  const row = prompt + step - 1;
  return row >= 0 ? row : null;
}

/** The step whose token was the least likely: where the model hesitated most. */
export function leastCertain(steps: GenerationInfo["steps"]): number {
  return steps.reduce((least, step, index) => (step.probability < (steps[least]?.probability ?? 1) ? index : least), 0);
}

/** The self- and cross-attention of one layer over the axis that grew. */
export function tapsOf(taps: readonly TapInfo[], axis: string, layer: number): TapInfo[] {
  const order = { cross: 0, self: 1 };
  return taps.filter((tap) => tap.queries === axis && tap.layer === layer).sort((a, b) => order[a.kind] - order[b.kind]);
}

/** A run of positions that is shown token by token, or folded into one mark. */
export interface Run {
  first: number;
  end: number;
  folded: boolean;
  weight: number; // in all
}

const SHOWN_WHOLE = 320; // tokens
const HEAD = 8;
const TAIL = 48; // before `row`
const PEAKS = 32;
const AROUND = 4;
const WORTH_FOLDING = 3;

/** The beginning, what lies before `row`, and the surroundings of the strongest; the rest folded. */
export function runs(weights: Float32Array, row: number | null): Run[] {
  const length = weights.length;
  const keep = new Uint8Array(length);
  const kept = (first: number, end: number) => keep.fill(1, Math.max(0, first), Math.min(length, end));
  if (length <= SHOWN_WHOLE) kept(0, length);
  else {
    const last = row === null ? length : Math.min(length, row + 2);
    kept(0, HEAD);
    kept(last - TAIL, last);
    const order = [...weights.keys()].filter((i) => weights[i]! > 0).sort((a, b) => weights[b]! - weights[a]!);
    for (const peak of order.slice(0, PEAKS)) kept(peak - AROUND, peak + AROUND + 1);
  }
  const all: Run[] = [];
  for (let first = 0; first < length; ) {
    let end = first + 1;
    while (end < length && keep[end] === keep[first]) end++;
    const weight = weights.subarray(first, end).reduce((sum, value) => (value > 0 ? sum + value : sum), 0);
    all.push({ first, end, folded: !keep[first] && end - first > WORTH_FOLDING, weight });
    first = end;
  }
  return all;
}
