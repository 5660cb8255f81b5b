/** y = W x + b, of int8 rows. */
import { BLOCK, limit, TOGETHER } from "../kernel/products";
import type { Rows, Weights } from "../weights";

export class Linear {
  readonly outputs: number;
  private readonly matrix: Rows;
  private readonly bias: number; // its address; a layer without a bias has zeros there
  private readonly limit: number;

  /** `weight` and `bias` are names of tensors; where there is no tensor `bias`, nothing is added. */
  constructor(private readonly weights: Weights, weight: string, bias = "") {
    this.matrix = weights.matrix(weight);
    this.outputs = this.matrix.rows;
    this.bias = weights.has(bias) ? weights.vector(bias).byteOffset : weights.zeros;
    this.limit = limit(this.matrix.width);
  }

  /** `count` vectors, one behind the other → as many outputs. */
  run(x: Float32Array, count: number): Float32Array {
    const { weights, matrix, outputs, bias } = this;
    const { at: w, width, scales } = matrix;
    const y = new Float32Array(count * outputs);
    for (let first = 0; first < count; ) {
      const n = Math.min(count - first, TOGETHER);
      for (let i = 0; i < n; i++) this.round(x, first + i, i, n);
      weights.products(n, { w, x: weights.x, y: weights.y, rows: outputs, width, scales, bias, factors: weights.factors, stride: 4 * outputs });
      y.set(weights.floats.subarray(weights.y / 4, weights.y / 4 + n * outputs), first * outputs);
      first += n;
    }
    return y;
  }

  /** Writes vector `index` of x as the i-th of the n that the kernel takes together. */
  private round(x: Float32Array, index: number, i: number, n: number): void {
    const { weights, matrix, limit } = this;
    const { floats, shorts } = weights;
    const { columns, width } = matrix;
    const from = index * columns;
    let largest = 0;
    for (let k = from; k < from + columns; k++) {
      const value = x[k] as number;
      if (value > largest) largest = value;
      else if (-value > largest) largest = -value;
    }
    const factor = largest ? limit / largest : 0;
    floats[weights.factors / 4 + i] = largest / limit;
    let at = from;
    for (let block = 0; block < width; block += BLOCK) {
      const to = weights.x / 2 + block * n + i * BLOCK;
      const end = to + Math.min(BLOCK, columns - block);
      for (let k = to; k < end; k++) shorts[k] = Math.floor((x[at++] as number) * factor + 0.5);
      for (let k = end; k < to + BLOCK; k++) shorts[k] = 0;
    }
  }
}
