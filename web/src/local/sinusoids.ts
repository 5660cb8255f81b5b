/** Tables of positions that a file leaves out, since they follow from its config. */
import type { Config } from "./config";

/** A table for each stack, row by row: all sines, then all cosines, as tensor2tensor and Marian have them. */
export function sinusoids({ positions, position_offset, max_positions, d_model: width }: Config): Record<string, Float32Array> {
  if (positions !== "sinusoidal") return {};
  const [half, rows] = [width / 2, max_positions + position_offset];
  const table = new Float32Array(rows * width);
  for (let i = 0; i < half; i++) {
    const length = 10_000 ** ((2 * i) / width);
    for (let position = 0; position < rows; position++) {
      table[position * width + i] = Math.sin(position / length);
      table[position * width + half + i] = Math.cos(position / length);
    }
  }
  return { "encoder.embed.positions.weight": table, "decoder.embed.positions.weight": table };
}
