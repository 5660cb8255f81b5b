/** softmax(q·k · scale) v of several heads, with what an onlooker wants to keep, hide or switch off. */
import type { Config, Side } from "../config";
import type { Weights } from "../weights";
import { Linear } from "./linear";

/** What one attention layer read, all heads side by side: q is (rows, width), k and v (columns, width). */
export interface Inputs {
  query: Float32Array;
  key: Float32Array;
  value: Float32Array;
}

/** Which keys a query sees. */
export type Sees = (query: number, key: number) => boolean;

/** A change to a run; every part is asked with the name of the layer's tap. */
export interface Edit {
  hides?(tap: string, head: number, query: number, key: number): boolean;
  silences?(tap: string, head: number): boolean; // the head's output is zero
}

/** Takes what each layer read. */
export type Listener = (tap: string, inputs: Inputs) => void;

export interface Heads {
  count: number;
  dim: number;
  scale: number;
}

/** The projections of one layer; q, k, v and the output have heads · dim numbers a position. */
export class Attention {
  readonly heads: Heads;
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly output: Linear;

  constructor(weights: Weights, name: string, config: Config, side: Side) {
    this.heads = {
      count: config[`${side}_heads`],
      dim: config[`${side}_head_dim`],
      scale: config.score_scale[side],
    };
    const linear = (part: string) => new Linear(weights, `${name}.${part}.weight`, `${name}.${part}.bias`);
    [this.query, this.key, this.value, this.output] = [linear("query"), linear("key"), linear("value"), linear("output")];
  }
}

/** The heads' outputs side by side, (rows, width). `keys` is how many of k's positions there are. */
export function attend(
  { query, key, value }: Inputs,
  { count, dim, scale }: Heads,
  keys: number,
  sees: Sees | null,
  edit: Edit | null = null,
  tap = "",
): Float32Array {
  const width = count * dim;
  const rows = query.length / width;
  const output = new Float32Array(query.length);
  const weights = new Float64Array(keys);
  for (let head = 0; head < count; head++) {
    if (edit?.silences?.(tap, head)) continue;
    for (let row = 0; row < rows; row++) {
      const from = row * width + head * dim;
      let largest = -Infinity;
      for (let at = 0; at < keys; at++) {
        const hidden = (sees && !sees(row, at)) || edit?.hides?.(tap, head, row, at);
        const score = hidden ? -Infinity : scale * dot(query, from, key, at * width + head * dim, dim);
        weights[at] = score;
        if (score > largest) largest = score;
      }
      if (largest === -Infinity) continue; // a row that sees nothing gives zeros
      let sum = 0;
      for (let at = 0; at < keys; at++) sum += weights[at] = Math.exp((weights[at] as number) - largest);
      for (let at = 0; at < keys; at++) {
        const weight = (weights[at] as number) / sum;
        if (!weight) continue;
        const to = at * width + head * dim;
        for (let i = 0; i < dim; i++) output[from + i] = (output[from + i] as number) + weight * (value[to + i] as number);
      }
    }
  }
  return output;
}

export function dot(one: Float32Array, from: number, other: Float32Array, to: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += (one[from + i] as number) * (other[to + i] as number);
  return sum;
}
