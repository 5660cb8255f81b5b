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
      let mean = 0;
      if (norm_kind === "layer") {
        for (let i = from; i < from + width; i++) mean += x[i] as number;
        mean /= width;
      }
      let squares = 0;
      for (let i = from; i < from + width; i++) {
        const distance = (x[i] as number) - mean;
        squares += distance * distance;
      }
      const factor = 1 / Math.sqrt(squares / width + norm_eps);
      for (let i = 0; i < width; i++) y[from + i] = ((x[from + i] as number) - mean) * factor * (gain[i] as number);
      if (shift) for (let i = 0; i < width; i++) y[from + i] = (y[from + i] as number) + (shift[i] as number);
    }
    return y;
  };
}
