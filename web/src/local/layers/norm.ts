/** Normalization of hidden states: LayerNorm and RMSNorm. */
import type { Config } from "../config";
import type { Weights } from "../weights";

/** Vectors, one behind the other → the same, each normalized. */
export type Norm = (x: Float32Array) => Float32Array;

export function norm(weights: Weights, name: string, { norm_kind, norm_eps }: Config): Norm {
  const gain = weights.vector(`${name}.weight`);
  const shift = weights.has(`${name}.bias`) ? weights.vector(`${name}.bias`) : null;
  const width = gain.length;
  return (x) => {
    const y = new Float32Array(x.length);
    for (let from = 0; from < x.length; from += width) {
      let [sum, squares] = [0, 0];
      if (norm_kind === "layer") for (let i = from; i < from + width; i++) sum += x[i] as number;
      const mean = sum / width;
      for (let i = from; i < from + width; i++) squares += ((x[i] as number) - mean) ** 2;
      const factor = 1 / Math.sqrt(squares / width + norm_eps);
      for (let i = 0; i < width; i++)
        y[from + i] = ((x[from + i] as number) - mean) * factor * (gain[i] as number) + (shift ? (shift[i] as number) : 0);
    }
    return y;
  };
}
