/** A model's weights in WebAssembly's memory, as `regard.studio.packing` writes them. */
import type { components } from "../schema";
import { productsOver, TOGETHER, type Products } from "./kernel/products";

/** Places: of an int8 matrix, whose rows take `width` bytes, and of a vector of float32. */
export type Rows = components["schemas"]["Rows"];
export type Numbers = components["schemas"]["Numbers"];

export type Tensors = Record<string, Rows | Numbers>;

const PAGE = 65_536; // bytes; memory grows by pages

export class Weights {
  readonly products: Products;
  readonly x: number; // where the vectors of a call of `products` go, in bytes
  readonly factors: number; // their factors
  readonly y: number; // and where its answer comes
  readonly zeros: number; // a bias for those that have none
  readonly floats: Float32Array; // all of the memory
  readonly shorts: Int16Array; // as well
  private readonly bytes: Int8Array;

  /** Room for all tensors; `fill` brings their bytes. */
  constructor(private readonly tensors: Tensors, bytes: number) {
    const matrices = Object.values(tensors).filter((each): each is Rows => "rows" in each);
    const largest = (of: (each: Rows) => number) => Math.max(0, ...matrices.map(of));
    const rows = largest((each) => each.rows);
    this.x = Math.ceil(bytes / 16) * 16;
    this.factors = this.x + 2 * TOGETHER * largest((each) => each.width);
    this.zeros = this.factors + 4 * TOGETHER;
    this.y = this.zeros + 4 * rows;
    const end = this.y + 4 * TOGETHER * rows;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(end / PAGE) });
    this.bytes = new Int8Array(memory.buffer);
    this.floats = new Float32Array(memory.buffer);
    this.shorts = new Int16Array(memory.buffer);
    this.products = productsOver(memory);
  }

  fill(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at);
  }

  has(name: string): boolean {
    return name in this.tensors;
  }

  matrix(name: string): Rows {
    const found = this.tensors[name];
    if (!found || !("rows" in found)) throw new Error(`This file has no matrix ${name}; export the model again.`);
    return found;
  }

  vector(name: string): Float32Array {
    const found = this.tensors[name];
    if (!found || "rows" in found) throw new Error(`This file has no vector ${name}; export the model again.`);
    return this.floats.subarray(found.at / 4, found.at / 4 + found.length);
  }

  /** One row of a matrix as the numbers that it stands for. */
  row(matrix: Rows, index: number): Float32Array {
    const scale = this.floats[matrix.scales / 4 + index] as number;
    const from = matrix.at + index * matrix.width;
    const values = new Float32Array(matrix.columns);
    for (let i = 0; i < values.length; i++) values[i] = (this.bytes[from + i] as number) * scale; // `from` and `map` are slow
    return values;
  }
}
