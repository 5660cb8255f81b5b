/** The maps of one attention layer, and what the page asks of them, from what the layer read. */
import type { HeadInfo, Summary } from "../../source";
import { thumbnail } from "../../source/cells";
import { pathOf, type Binary } from "../../source/requests";
import type { Tap } from "../config";
import type { Inputs, Native } from "../native";
import type { Edit } from "./off";
import { named, scored, type Targets } from "./patterns";

const THUMBNAIL = 48; // cells along its longer side
const MOSTLY = 0.5; // a head mostly looks at a sink that takes more than this part of its weight

export interface HeadMap {
  weights: Float32Array; // (rows, columns), NaN where the mask forbids
  lse: Float32Array; // (rows): log Σ exp(score)
  vectors: Float32Array; // q, k and v, one behind the other
}

export interface TapMaps extends Tap {
  rows: number;
  columns: number;
  maps: HeadMap[];
}

/** Maps of what an attention read, whose first row is at a position. */
export function tapMaps(engine: Native, tap: Tap, { query, key, value }: Inputs, edit: Edit | null = null, first = 0): TapMaps {
  const { name, heads, dim, scale, causal } = tap;
  const width = heads * dim;
  const [rows, columns] = [query.length / width, key.length / width];
  const part = (values: Float32Array, head: number) => {
    const found = new Float32Array((values.length / width) * dim);
    for (let at = 0; at * width < values.length; at++) found.set(values.subarray(at * width + head * dim, at * width + (head + 1) * dim), at * dim);
    return found;
  };
  const maps = Array.from({ length: heads }, (_, head): HeadMap => {
    const sees = (row: number, at: number) => !(causal && at > first + row) && !edit?.hides(name, head, first + row, at);
    const [q, k, v] = [part(query, head), part(key, head), part(value, head)];
    for (let row = 0; row < rows; row++) if (edit?.draws(name, head, first + row)) q.fill(0, row * dim, (row + 1) * dim); // it asks for nothing
    const vectors = new Float32Array(q.length + k.length + v.length);
    vectors.set(q);
    vectors.set(k, q.length);
    vectors.set(v, q.length + k.length);
    const { weights, lse } = softmaxed(engine, q, k, dim, scale, sees);
    return { weights, lse, vectors };
  });
  return { ...tap, rows, columns, maps };
}

function softmaxed(engine: Native, q: Float32Array, k: Float32Array, dim: number, scale: number, sees: (row: number, at: number) => boolean) {
  const [rows, columns] = [q.length / dim, k.length / dim];
  const scores = new Float64Array(rows * columns).fill(-Infinity);
  for (let row = 0; row < rows; row++)
    for (let at = 0; at < columns; at++) if (sees(row, at)) scores[row * columns + at] = scale * dot(q, row * dim, k, at * dim, dim);
  const hidden = scores.map((score) => (score === -Infinity ? NaN : 0));
  const lse = Float32Array.from(engine.softmax(scores, rows));
  return { weights: Float32Array.from(scores, (weight, at) => weight + (hidden[at] as number)), lse };
}

/** Entropy, distance, sink and patterns of each head, on average over its rows. */
export function summary({ name, kind, rows, columns, maps }: TapMaps, targets: Targets): Summary {
  const mean = new Float64Array(columns);
  const taken = maps.map(({ weights }) => {
    const found = new Float64Array(columns);
    weights.forEach((weight, at) => {
      if (weight > 0) found[at % columns] = (found[at % columns] as number) + weight / rows;
    });
    found.forEach((weight, key) => (mean[key] = (mean[key] as number) + weight));
    return found;
  });
  const most = (all: Float64Array) => all.reduce((best, weight, key) => (weight > (all[best] as number) ? key : best), 0);
  const whole = most(mean);
  const infos = maps.map(({ weights }, head): HeadInfo => {
    let [entropy, distance] = [0, 0];
    weights.forEach((weight, at) => {
      if (!(weight > 0)) return;
      entropy -= weight * Math.log2(weight);
      distance += weight * Math.abs(Math.floor(at / columns) - (at % columns));
    });
    const own = taken[head] as Float64Array;
    const key = most(own);
    const share = own[key] ?? 0;
    const patterns = scored(weights, rows, columns, targets);
    const about = { sink_key: key, sink: share, mostly_sink: share > MOSTLY, patterns, pattern: named(patterns) };
    return { head, entropy: entropy / rows, distance: kind === "self" ? distance / rows : null, ...about };
  });
  return { tap: name, rows, of: rows, sink_key: whole, sink: (mean[whole] ?? 0) / maps.length, heads: infos };
}

/** Every answer about a layer that the page cannot make of the others, as source/kept.ts lists them; `norms`: of each head, ‖f(x)‖ by column. */
export function answersOf(of: TapMaps, norms: readonly Float32Array[], targets: Targets): { numbers: [string, Binary][]; plain: [string, unknown][] } {
  const { name: tap, rows, columns, maps } = of;
  const numbers = maps.flatMap(({ weights, lse, vectors }, head): [string, Binary][] => [
    [pathOf("map", { tap, head, quantity: "weight" }), { shape: [rows, columns], values: weights }],
    [pathOf("lse", { tap, head }), { shape: [rows], values: lse }],
    [pathOf("value_norms", { tap, head }), { shape: [columns], values: norms[head] as Float32Array }],
    [pathOf("vectors", { tap, head }), { shape: [vectors.length], values: vectors }],
  ]);
  const pictures = maps.map(({ weights }) => thumbnail(rows, columns, THUMBNAIL, (row) => weights.subarray(row * columns, (row + 1) * columns)));
  const [first] = pictures;
  const values = Float32Array.from(pictures.flatMap((each) => [...each.values]));
  numbers.push([pathOf("thumbnails", { tap, size: THUMBNAIL }), { shape: [maps.length, first?.height ?? 0, first?.width ?? 0], values }]);
  return { numbers, plain: [[pathOf("summary", { tap }), summary(of, targets)], [pathOf("scale", { tap }), of.scale]] };
}

/** The largest error of a row's sum, and of a weight against the softmax in float64. */
export function errors({ rows, columns, scale, dim, maps }: TapMaps): { sum: number; difference: number } {
  let [sum, difference] = [0, 0];
  for (const { weights, vectors } of maps) {
    const k = vectors.subarray(rows * dim);
    for (let row = 0; row < rows; row++) {
      const seen = Array.from({ length: columns }, (_, at) => at).filter((at) => !Number.isNaN(weights[row * columns + at]));
      if (!seen.length) continue;
      const exact = seen.map((at) => Math.exp(scale * dot(vectors, row * dim, k, at * dim, dim)));
      const whole = exact.reduce((one, other) => one + other, 0);
      const found = seen.map((at) => weights[row * columns + at] as number);
      sum = Math.max(sum, Math.abs(found.reduce((one, other) => one + other, 0) - 1));
      found.forEach((weight, i) => (difference = Math.max(difference, Math.abs(weight - (exact[i] as number) / whole))));
    }
  }
  return { sum, difference };
}

/** Of numbers from these places on, in four sums, which do not wait for each other. */
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
