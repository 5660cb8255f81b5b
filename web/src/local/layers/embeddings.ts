/** Token embeddings with positions added (Attention Is All You Need, sections 3.4 and 3.5). */
import type { Config, Side } from "../config";
import type { Weights } from "../weights";
import { norm } from "./norm";

/** Ids, and the position of each → vectors, one behind the other. */
export type Embedding = (ids: readonly number[], positions: readonly number[]) => Float32Array;

export function embedding(weights: Weights, side: Side, config: Config): Embedding {
  const width = config.d_model;
  const table = weights.matrix(`${side}.embed.tokens.weight`);
  const learned = config.positions === "learned" ? weights.matrix(`${side}.embed.positions.weight`) : null;
  const made = new Map<number, Float32Array>(); // sinusoids by position
  const sine = (place: number) => {
    const found = made.get(place) ?? sinusoid(place, width);
    made.set(place, found);
    return found;
  };
  const normalize = weights.has(`${side}.embed.norm.weight`) ? norm(weights, `${side}.embed.norm`, config) : null;
  return (ids, positions) => {
    const x = new Float32Array(ids.length * width);
    ids.forEach((id, i) => {
      const place = (positions[i] as number) + config.position_offset;
      const position = learned ? weights.row(learned, place) : sine(place);
      const token = weights.row(table, id);
      for (let k = 0; k < width; k++) x[i * width + k] = (token[k] as number) * config.embedding_scale + (position[k] as number);
    });
    return normalize ? normalize(x) : x;
  };
}

/** All sines, then all cosines, as tensor2tensor and Marian have them. */
export function sinusoid(position: number, width: number): Float32Array {
  const half = width / 2;
  const angle = (i: number) => position / 10_000 ** ((2 * i) / width);
  return Float32Array.from({ length: width }, (_, k) => (k < half ? Math.sin(angle(k)) : Math.cos(angle(k - half))));
}
