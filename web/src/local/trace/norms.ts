/** Sizes of what each head would take from each key. */
import type { Tap } from "../config";
import type { Weights } from "../weights";
import { dot } from "./maps";

/** ‖v W_O‖ of each key by head, as √(v W_O W_Oᵀ vᵀ): the product of a head's part of W_O with itself is made once. */
export function outputNorms(weights: Weights): (tap: Tap, value: Float32Array) => Float32Array[] {
  const squares = new Map<string, Float32Array[]>();
  return (tap, value) => {
    const { name, heads, dim } = tap;
    const made = squares.get(name) ?? squaresOf(weights, tap);
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

/** Of each head, (dim, dim). */
function squaresOf(weights: Weights, { name, heads, dim }: Tap): Float32Array[] {
  const matrix = weights.matrix(`${name}_attention.output.weight`);
  const { rows, columns } = matrix;
  const turned = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const values = weights.row(matrix, row);
    for (let i = 0; i < columns; i++) turned[i * rows + row] = values[i] as number;
  }
  return Array.from({ length: heads }, (_, head) => {
    const square = new Float32Array(dim * dim);
    for (let i = 0; i < dim; i++)
      for (let j = 0; j <= i; j++)
        square[i * dim + j] = square[j * dim + i] = dot(turned, (head * dim + i) * rows, turned, (head * dim + j) * rows, rows);
    return square;
  });
}
