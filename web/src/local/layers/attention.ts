/** softmax(q·k · scale) v of several heads, with what an onlooker wants to keep, hide or switch off. */
import type { Config, Side } from "../config";
import type { Weights } from "../weights";
import { Linear } from "./linear";

/** Input of one attention layer, all heads side by side: q is (rows, width), k and v (columns, width). */
export interface Inputs {
  query: Float32Array;
  key: Float32Array;
  value: Float32Array;
}

/** Keys that a query sees. */
export type Sees = (query: number, key: number) => boolean;

/** A change to a run; every part is asked with the name of the layer's tap. */
export interface Edit {
  hides?(tap: string, head: number, query: number, key: number): boolean;
  silences?(tap: string, head: number): boolean; // the head's output is zero
  draws?(tap: string, head: number, query: number): boolean; // the keys that the query sees share its weight evenly
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
  private readonly mixing: Linear; // the output without its bias

  constructor(weights: Weights, name: string, config: Config, side: Side) {
    this.heads = {
      count: config[`${side}_heads`],
      dim: config[`${side}_head_dim`],
      scale: config.score_scale[side],
    };
    const linear = (part: string) => new Linear(weights, `${name}.${part}.weight`, `${name}.${part}.bias`);
    [this.query, this.key, this.value, this.output] = [linear("query"), linear("key"), linear("value"), linear("output")];
    this.mixing = new Linear(weights, `${name}.output.weight`);
  }

  /** ‖v W_O‖ of each key, (heads, keys), with the part of the output projection that the head has. */
  valueNorms(value: Float32Array): Float32Array[] {
    const { count, dim } = this.heads;
    const width = count * dim;
    const keys = value.length / width;
    return Array.from({ length: count }, (_, head) => {
      const own = new Float32Array(value.length);
      for (let at = head * dim; at < value.length; at += width) own.set(value.subarray(at, at + dim), at);
      const mixed = this.mixing.run(own, keys);
      const size = this.mixing.outputs;
      return Float32Array.from({ length: keys }, (_, key) => Math.sqrt(dot(mixed, key * size, mixed, key * size, size)));
    });
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
  const hides = edit?.hides?.bind(edit);
  for (let head = 0; head < count; head++) {
    if (edit?.silences?.(tap, head)) continue;
    for (let row = 0; row < rows; row++) {
      const from = row * width + head * dim;
      const drawn = edit?.draws?.(tap, head, row) ?? false;
      let largest = -Infinity;
      for (let at = 0; at < keys; at++) {
        const hidden = (sees !== null && !sees(row, at)) || (hides !== undefined && hides(tap, head, row, at));
        const score = hidden ? -Infinity : drawn ? 0 : scale * dot(query, from, key, at * width + head * dim, dim);
        weights[at] = score;
        if (score > largest) largest = score;
      }
      if (largest === -Infinity) continue; // a row that sees nothing gives zeros
      let sum = 0;
      for (let at = 0; at < keys; at++) sum += weights[at] = Math.exp((weights[at] as number) - largest);
      for (let at = 0; at < keys; at++) {
        const weight = (weights[at] as number) / sum;
        if (weight) add(weight, value, at * width + head * dim, output, from, dim);
      }
    }
  }
  return output;
}

function add(weight: number, value: Float32Array, from: number, output: Float32Array, to: number, length: number): void {
  for (let i = 0; i < length; i++) output[to + i] = (output[to + i] as number) + weight * (value[from + i] as number);
}

/** In four sums, which do not wait for each other. */
export function dot(one: Float32Array, from: number, other: Float32Array, to: number, length: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const end = length - (length % 4);
  for (let i = 0; i < end; i += 4) {
    a += (one[from + i] as number) * (other[to + i] as number);
    b += (one[from + i + 1] as number) * (other[to + i + 1] as number);
    c += (one[from + i + 2] as number) * (other[to + i + 2] as number);
    d += (one[from + i + 3] as number) * (other[to + i + 3] as number);
  }
  for (let i = end; i < length; i++) a += (one[from + i] as number) * (other[to + i] as number);
  return a + b + (c + d);
}
