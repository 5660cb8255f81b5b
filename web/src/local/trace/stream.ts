/** States of the residual stream, and what its norms make of them. */
import type { Config } from "../config";
import type { Weights } from "../weights";

/** Vectors one behind the other. */
export function joined(rows: readonly Float32Array[]): Float32Array {
  const width = rows[0]?.length ?? 0;
  const found = new Float32Array(rows.length * width);
  rows.forEach((row, i) => found.set(row, i * width));
  return found;
}

/** A vector behind a norm, by its weights. */
export function normed(weights: Weights, config: Config, name: string, x: Float32Array): Float32Array {
  const gain = weights.vector(`${name}.weight`);
  const shift = weights.has(`${name}.bias`) ? weights.vector(`${name}.bias`) : null;
  const { mean, scale } = spread(x, config);
  return x.map((value, i) => (value - mean) * scale * (gain[i] as number) + (shift ? (shift[i] as number) : 0));
}

/** What a norm takes off, and by what it multiplies. */
export function spread(x: Float32Array, { norm_kind, norm_eps }: Config): { mean: number; scale: number } {
  const mean = norm_kind === "layer" ? x.reduce((sum, value) => sum + value, 0) / x.length : 0;
  const square = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return { mean, scale: 1 / Math.sqrt(square + norm_eps) };
}

/** A state behind the last layer as the output's projection reads it. */
export function read(weights: Weights, config: Config, state: Float32Array): Float32Array {
  const last = config.norm === "pre" ? normed(weights, config, "decoder.norm", state) : state;
  return last.map((value) => value * config.output_scale);
}
