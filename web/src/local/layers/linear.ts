/** y = W x + b, of int8 rows. */
import { BLOCK, TOGETHER } from "../kernel/products";
import type { Rows, Weights } from "../weights";

export class Linear {
  readonly outputs: number;
  private readonly matrix: Rows;
  private readonly scales: Float32Array;
  private readonly bias: Float32Array | null;
  private whole: Float32Array | null = null;

  /** `weight` and `bias` are names of tensors; where there is no tensor `bias`, nothing is added. */
  constructor(private readonly weights: Weights, weight: string, bias = "") {
    this.matrix = weights.matrix(weight);
    this.outputs = this.matrix.rows;
    this.scales = weights.scales(this.matrix);
    this.bias = weights.has(bias) ? weights.vector(bias) : null;
  }

  /** `count` vectors, one behind the other → as many outputs. */
  run(x: Float32Array, count: number): Float32Array {
    const y = new Float32Array(count * this.outputs);
    for (let first = 0; first < count; ) {
      const n = Math.min(count - first, TOGETHER);
      this.some(x, y, first, n);
      first += n;
    }
    return y;
  }

  /** The matrix itself, (outputs, inputs); it is kept. */
  dense(): Float32Array {
    if (this.whole) return this.whole;
    const { rows, columns } = this.matrix;
    const values = new Float32Array(rows * columns);
    for (let row = 0; row < rows; row++) values.set(this.weights.row(this.matrix, row), row * columns);
    return (this.whole = values);
  }

  private some(x: Float32Array, y: Float32Array, first: number, n: number): void {
    const { weights, matrix, outputs } = this;
    const { floats } = weights;
    for (let i = 0; i < n; i++) {
      const from = (first + i) * matrix.columns;
      for (let block = 0; block < matrix.width; block += BLOCK) {
        const to = weights.x / 4 + block * n + i * BLOCK;
        const length = Math.min(BLOCK, matrix.columns - block);
        for (let k = 0; k < length; k++) floats[to + k] = x[from + block + k] as number;
        for (let k = length; k < BLOCK; k++) floats[to + k] = 0; // NaN · 0 would be NaN
      }
    }
    weights.products(n, matrix.at, weights.x, weights.y, outputs, matrix.width);
    for (let row = 0, at = weights.y / 4; row < outputs; row++) {
      const scale = this.scales[row] as number;
      const bias = this.bias ? (this.bias[row] as number) : 0;
      for (let i = 0; i < n; i++) y[(first + i) * outputs + row] = (floats[at++] as number) * scale + bias;
    }
  }
}
