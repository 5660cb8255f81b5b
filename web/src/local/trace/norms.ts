/** Sizes of what each head would take from each key. */
import type { Tap } from "../config";
import type { Weights } from "../weights";
import { dot } from "./maps";

/** ‖v W_O‖ of each key by head, as √(v W_O W_Oᵀ vᵀ): the product of a head's part of W_O with itself is made once. */
export function outputNorms(weights: Weights): (tap: Tap, value: Float32Array) => Float32Array[] {
  const squares = new Map<string, Float32Array[]>();
  return (tap, value) => {
    const { name, heads, dim } = tap;
    const made = squares.get(name) ?? Array.from({ length: heads }, (_, head) => squareOf(weights, tap, head));
    squares.set(name, made);
    const width = heads * dim;
    return made.map((square, head) =>
      Float32Array.from({ length: value.length / width }, (_, key) => {
        const from = key * width + head * dim;
        let sum = 0;
        for (let i = 0; i < dim; i++) sum += (value[from + i] as number) * dot(square, i * dim, value, from, dim);
        return Math.sqrt(Math.max(0, sum));
      }));
  };
}

/** (dim, dim). */
function squareOf(weights: Weights, { name, dim }: Tap, head: number): Float32Array {
  const matrix = weights.matrix(`${name}_attention.output.weight`);
  const part = new Float32Array(dim * matrix.rows); // its columns are rows here
  for (let row = 0; row < matrix.rows; row++)
    weights.row(matrix, row).subarray(head * dim, (head + 1) * dim).forEach((weight, i) => (part[i * matrix.rows + row] = weight));
  return Float32Array.from({ length: dim * dim }, (_, at) => dot(part, Math.floor(at / dim) * matrix.rows, part, (at % dim) * matrix.rows, matrix.rows));
}
