/** Products of int8 rows with vectors: the one loop in which a translator spends its time.
 *
 * Weights are int8. A vector is rounded to int16, with one factor for all of it: its largest number
 * becomes `limit(width)`, so that no sum leaves 32 bits. Sums of integers are exact in any order, so
 * a vector's products do not depend on its company. One call takes one to eight vectors, whose
 * blocks of 16 numbers alternate; they share the loads of the weights. In the text format, for n
 * vectors:
 *
 *   (loop $rows
 *     (a[0 … n-1] = 0) (p = x) (e = w + width)
 *     (loop $block                                     ;; 16 weights and 16 numbers of each vector
 *       (c0, c1 = the halves of v128.load w as i16)
 *       (for i in 0 … n-1:
 *         a[i] += i32x4.dot_i16x8_s(c0, p[32i]) + i32x4.dot_i16x8_s(c1, p[32i + 16]))
 *       (w += 16) (p += 32n) (br_if $block (w < e)))
 *     (for i: y[i · stride] = the sum of a[i]'s lanes · factors[i] · scales[0] + bias[0])
 *     (y += 4) (scales += 4) (bias += 4) (rows -= 1) (br_if $rows rows)) */
import { assembled, op, TYPES, type Function } from "./assembler";

export const BLOCK = 16; // weights that a load takes: rows are padded to it
export const TOGETHER = 8; // vectors of one call at most: their sums stay in registers

/** Addresses are in bytes; `width` is a multiple of BLOCK. */
export interface Product {
  w: number; // int8 (rows, width)
  x: number; // int16, the vectors
  y: number; // float32: row r of vector i comes to y + 4r + i · stride
  rows: number;
  width: number;
  scales: number; // float32 (rows)
  bias: number; // float32 (rows)
  factors: number; // float32 (vectors)
  stride: number;
}

/** y[i, r] = Σ w[r, k] · x[i, k] · factors[i] · scales[r] + bias[r] of n vectors. */
export type Products = (n: number, product: Product) => void;

/** The largest number of a vector with which the sum over a row of int8 stays within 32 bits. */
export function limit(width: number): number {
  return Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * width)));
}

const COUNTS = Array.from({ length: TOGETHER }, (_, i) => i + 1);

type Compiled = Record<string, (...parameters: number[]) => void>;

/** The SIMD functions over this memory; the same numbers in plain TypeScript where there is no SIMD. */
export function productsOver(memory: WebAssembly.Memory): Products {
  if (!WebAssembly.validate(KERNEL)) return plainProducts(memory.buffer);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(KERNEL), { e: { m: memory } });
  const compiled = COUNTS.map((n) => (instance.exports as Compiled)[`of${n}`] as Compiled[string]);
  return (n, { w, x, y, rows, width, scales, bias, factors, stride }) =>
    (compiled[n - 1] as Compiled[string])(w, x, y, rows, width, scales, bias, factors, stride);
}

/** Rounds to float32 where the kernel does, so that every bit is the same. */
export function plainProducts(buffer: ArrayBufferLike): Products {
  const weights = new Int8Array(buffer);
  const vectors = new Int16Array(buffer);
  const floats = new Float32Array(buffer);
  const round = Math.fround;
  return (n, { w, x, y, rows, width, scales, bias, factors, stride }) => {
    for (let row = 0; row < rows; row++) {
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let block = 0; block < width; block += BLOCK) {
          const from = w + row * width + block;
          const vector = (x >> 1) + block * n + i * BLOCK;
          for (let k = 0; k < BLOCK; k++) sum += (weights[from + k] as number) * (vectors[vector + k] as number);
        }
        const scaled = round(round(round(sum) * (floats[(factors >> 2) + i] as number)) * (floats[(scales >> 2) + row] as number));
        floats[((y + i * stride) >> 2) + row] = scaled + (floats[(bias >> 2) + row] as number);
      }
    }
  };
}

// Parameters and locals of a function, in order.
const [W, X, Y, ROWS, WIDTH, SCALES, BIAS, FACTORS, STRIDE, P, E, O] = Array.from({ length: 12 }, (_, i) => i) as Twelve;
const [LOW, HIGH, SUM] = [O + 1, O + 2, O + 3];
type Twelve = [number, number, number, number, number, number, number, number, number, number, number, number];

function products(n: number): Function {
  const each = (make: (i: number) => number[]) => Array.from({ length: n }, (_, i) => make(i)).flat();
  const dot = (half: number, offset: number) => [...op.get(half), ...op.get(P), ...op.load(offset), ...op.dotI16];
  const accumulate = (i: number) => [
    ...[...op.get(SUM + i), ...dot(LOW, 32 * i), ...dot(HIGH, 32 * i + 16), ...op.i32x4Add, ...op.i32x4Add],
    ...op.set(SUM + i),
  ];
  const lane = (i: number, index: number) => [...op.get(SUM + i), ...op.lane(index)];
  const float = (address: number, offset = 0) => [...op.get(address), ...op.f32Load(offset)];
  const write = (i: number) => [
    ...[...op.get(Y), ...op.get(STRIDE), ...op.constant(i), ...op.multiply, ...op.add],
    ...[...lane(i, 0), ...lane(i, 1), ...op.add, ...lane(i, 2), ...lane(i, 3), ...op.add, ...op.add, ...op.f32OfI32],
    ...[...float(FACTORS, 4 * i), ...op.f32Multiply, ...float(SCALES), ...op.f32Multiply, ...float(BIAS), ...op.f32Add],
    ...op.f32Store(),
  ];
  const advance = (local: number, by: number, how: readonly number[] = op.add) => [...op.get(local), ...op.constant(by), ...how, ...op.set(local)];
  const block = op.loop([
    ...[...op.get(W), ...op.load(), ...op.lowI8ToI16, ...op.set(LOW)],
    ...[...op.get(W), ...op.load(), ...op.highI8ToI16, ...op.set(HIGH)],
    ...each(accumulate),
    ...advance(W, BLOCK),
    ...advance(P, 2 * BLOCK * n),
    ...[...op.get(W), ...op.get(E), ...op.lessUnsigned, ...op.repeatIf()],
  ]);
  const row = op.loop([
    ...each((i) => [...op.zeros, ...op.set(SUM + i)]),
    ...[...op.get(X), ...op.set(P), ...op.get(W), ...op.get(WIDTH), ...op.add, ...op.set(E)],
    ...block,
    ...each(write),
    ...[...advance(Y, 4), ...advance(SCALES, 4), ...advance(BIAS, 4), ...advance(ROWS, 1, op.subtract)],
    ...[...op.get(ROWS), ...op.repeatIf()],
  ]);
  const integers = new Array<number>(3).fill(TYPES.i32);
  return { name: `of${n}`, locals: [...integers, ...new Array<number>(2 + n).fill(TYPES.v128)], body: row };
}

export const KERNEL = assembled(9, COUNTS.map(products));
