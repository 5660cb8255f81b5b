/** Tables of positions that a file leaves out, since they follow from its config. */
import type { Config } from "./config";

/** A table for each stack, row by row: all sines, then all cosines, as tensor2tensor and Marian have them. */
export function sinusoids({ positions, position_offset, max_positions, d_model: width }: Config): Record<string, Float32Array> {
  if (positions !== "sinusoidal") return {};
  const half = width / 2;
  const angle = (position: number, i: number) => position / 10_000 ** ((2 * i) / width);
  const table = Float32Array.from({ length: (max_positions + position_offset) * width }, (_, at) => {
    const [position, k] = [Math.floor(at / width), at % width];
    return k < half ? Math.sin(angle(position, k)) : Math.cos(angle(position, k - half));
  });
  return { "encoder.embed.positions.weight": table, "decoder.embed.positions.weight": table };
}
