/** A model's weights, as `regard.studio.packing` writes them, to be given to the engine and looked at. */
import type { components } from "../schema";

/** Places: of an int8 matrix, and of a vector of float32. */
export type Rows = components["schemas"]["Rows"];
export type Numbers = components["schemas"]["Numbers"];

export type Tensors = Record<string, Rows | Numbers>;

export class Weights {
  readonly content: Uint8Array<ArrayBuffer>;
  private filled = 0; // bytes

  /** Room for all tensors; `fill` brings their bytes. */
  constructor(readonly tensors: Tensors, bytes: number) {
    this.content = new Uint8Array(bytes);
  }

  /** Takes the next bytes; true when all are there. */
  fill(bytes: Uint8Array): boolean {
    this.content.set(bytes, this.filled);
    this.filled += bytes.length;
    return this.filled === this.content.length;
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
    return new Float32Array(this.content.buffer, found.at, found.length);
  }

  /** One row of a matrix as the numbers that it stands for. */
  row({ at, columns, scales }: Rows, index: number): Float32Array {
    const [scale] = new Float32Array(this.content.buffer, scales + 4 * index, 1) as unknown as [number];
    const integers = new Int8Array(this.content.buffer, at + index * columns, columns);
    const values = new Float32Array(columns);
    for (let i = 0; i < columns; i++) values[i] = (integers[i] as number) * scale; // `from` with a function is slow
    return values;
  }
}
