/** Drawing a token: the distribution is sharpened and cut as `regard.generation.filters` does it. */
import { logSumExp } from "./numbers";

/** Settings of a draw, those of `GenerationConfig`. */
export interface Sampling {
  temperature: number;
  top_k: number; // 0: every token
  top_p: number;
  draws: Float64Array; // a number in [0, 1) for each step
}

/** Log-probabilities divided by the temperature, with what the other settings leave out as minus infinity. */
export function narrowed(scores: Float32Array, { temperature, top_k: k, top_p: p }: Sampling): Float32Array {
  if (temperature !== 1) scores = scores.map((value) => value / temperature);
  if (k && k < scores.length) {
    const least = scores.slice().sort()[scores.length - k] as number;
    scores = scores.map((value) => (value < least ? -Infinity : value));
  }
  if (p < 1) {
    const places = [...scores.keys()].sort((one, other) => (scores[one] as number) - (scores[other] as number));
    const shift = logSumExp(scores);
    scores = scores.slice();
    let mass = 0;
    for (const place of places.slice(0, -1)) {
      mass += Math.exp((scores[place] as number) - shift);
      if (mass > 1 - p) break;
      scores[place] = -Infinity;
    }
  }
  return scores;
}

/** The token whose part of the whole probability holds this number in [0, 1). */
export function drawn(scores: Float32Array, number: number): number {
  const shift = logSumExp(scores);
  let whole = 0;
  for (const value of scores) whole += Math.exp(value - shift);
  let sum = 0;
  for (let token = 0; token < scores.length - 1; token++) {
    sum += Math.exp((scores[token] as number) - shift);
    if (sum > number * whole) return token;
  }
  return scores.length - 1;
}
