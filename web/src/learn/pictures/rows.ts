/** One row of attention, read out of an explanation: what one word makes of every other. */
import type { Explanation } from "../../source";

export type Matrix = (number | null)[][];

/** A step's matrix; null where this explanation has no such step. */
export function matrixOf({ steps }: Explanation, name: string, head = 0): Matrix | null {
  const table = steps.find((each) => each.name === name);
  return table ? (table.values[table.per_head ? head : 0] ?? null) : null;
}

/** Row of one key for the word in the spotlight. */
export interface Look {
  key: number;
  word: string;
  score: number | null; // as softmax gets it; null where the mask hides the key
  weight: number;
  given: number[]; // weight · value
}

/** A row of attention from scores to the output: `looks[j].given` add up to `output`. */
export interface Row {
  looks: Look[];
  output: number[];
}

export function rowOf(explanation: Explanation, query: number, head = 0): Row {
  const row = (name: string) => matrixOf(explanation, name, head)?.[query] ?? [];
  const [scores, weights, values] = [row("masked"), row("weights"), matrixOf(explanation, "value", head) ?? []];
  const looks = explanation.key_tokens.map((word, key) => {
    const weight = weights[key] ?? 0;
    return { key, word, score: scores[key] ?? null, weight, given: (values[key] ?? []).map((value) => weight * (value ?? 0)) };
  });
  return { looks, output: row("attended").map((value) => value ?? 0) };
}

/** The largest size of any number, to scale colors by; 1 where there is none but zero. */
export function reach(rows: readonly (readonly (number | null)[])[]): number {
  let most = 0;
  for (const row of rows) for (const value of row) most = Math.max(most, Math.abs(value ?? 0));
  return most || 1;
}

/** Distance of two vectors: ‖a − b‖. */
export function distance(one: readonly number[], other: readonly number[]): number {
  return Math.sqrt(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0));
}
