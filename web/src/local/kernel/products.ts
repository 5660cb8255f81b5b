/** Products of int8 rows with float32 vectors: the one loop in which a translator spends its time.
 *
 * Weights are int8 and activations stay float32, so a model computes what its rounded weights say
 * and nothing is rounded on the way. One call takes one to four vectors, whose blocks of 16 numbers
 * alternate; they share the conversion of the weights. A fifth would not fit into 16 registers. In the text format, for n vectors:
 *
 *   (loop $rows
 *     (a[0 … 2n-1] = 0) (p = x) (e = w + width)
 *     (loop $block                                     ;; 16 weights and 16 numbers of each vector
 *       (t = v128.load w)
 *       (c0 … c3 = f32x4.convert_i32x4_s of t's four quarters)
 *       (for i in 0 … n-1:
 *         a[2i]   += c0 * p[64i]       a[2i+1] += c1 * p[64i + 16]
 *         a[2i]   += c2 * p[64i + 32]  a[2i+1] += c3 * p[64i + 48])
 *       (w += 16) (p += 64n) (br_if $block (w < e)))
 *     (for i: y[i] = the sum of the lanes of a[2i] + a[2i+1])
 *     (y += 4n) (rows -= 1) (br_if $rows rows)) */
import { assembled, op, TYPES, type Function } from "./assembler";

export const BLOCK = 16; // weights that a load takes: rows are padded to it
export const TOGETHER = 4; // vectors of one call at most

/** y[row · n + i] = Σ w[row, k] · x[i, k], of addresses in bytes; `width` is a multiple of BLOCK. */
export type Products = (n: number, w: number, x: number, y: number, rows: number, width: number) => void;

const COUNTS = Array.from({ length: TOGETHER }, (_, i) => i + 1);

type Compiled = Record<string, (w: number, x: number, y: number, rows: number, width: number) => void>;

/** The SIMD functions over this memory; the same numbers in plain TypeScript where there is no SIMD. */
export function productsOver(memory: WebAssembly.Memory): Products {
  if (!WebAssembly.validate(KERNEL)) return plainProducts(memory.buffer);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(KERNEL), { e: { m: memory } });
  const compiled = COUNTS.map((n) => (instance.exports as Compiled)[`of${n}`] as Compiled[string]);
  return (n, w, x, y, rows, width) => (compiled[n - 1] as Compiled[string])(w, x, y, rows, width);
}

/** Adds in the kernel's order, rounding to float32 where it does, so that every bit is the same. */
export function plainProducts(buffer: ArrayBufferLike): Products {
  const weights = new Int8Array(buffer);
  const floats = new Float32Array(buffer);
  const lanes = new Float32Array(8);
  const round = Math.fround;
  return (n, w, x, y, rows, width) => {
    for (let row = 0; row < rows; row++) {
      for (let i = 0; i < n; i++) {
        lanes.fill(0);
        for (let block = 0; block < width; block += BLOCK) {
          const from = w + row * width + block;
          const vector = (x >> 2) + block * n + i * BLOCK;
          for (let k = 0; k < BLOCK; k++) {
            const product = round((weights[from + k] as number) * (floats[vector + k] as number));
            lanes[k & 7] = round((lanes[k & 7] as number) + product);
          }
        }
        const pairs = [0, 1, 2, 3].map((lane) => round((lanes[lane] as number) + (lanes[lane + 4] as number)));
        const [a = 0, b = 0, c = 0, d = 0] = pairs;
        floats[(y >> 2) + row * n + i] = round(round(a + b) + round(c + d));
      }
    }
  };
}

// Parameters and locals of a function, in order.
const [W, X, Y, ROWS, WIDTH, P, E, T, C] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const A = C + 4;

function products(n: number): Function {
  const each = <Value>(count: number, make: (i: number) => Value[]) => Array.from({ length: count }, (_, i) => make(i)).flat();
  const convert = (quarter: number) => [
    ...op.get(T),
    ...(quarter < 2 ? op.lowI8ToI16 : op.highI8ToI16),
    ...(quarter % 2 ? op.highI16ToI32 : op.lowI16ToI32),
    ...op.i32ToF32,
    ...op.set(C + quarter),
  ];
  const accumulate = (i: number, quarter: number) => [
    ...op.get(A + 2 * i + (quarter % 2)),
    ...op.get(C + quarter),
    ...[...op.get(P), ...op.load(64 * i + 16 * quarter)],
    ...op.f32x4Multiply,
    ...op.f32x4Add,
    ...op.set(A + 2 * i + (quarter % 2)),
  ];
  const lane = (index: number) => [...op.get(T), ...op.lane(index)];
  const write = (i: number) => [
    ...[...op.get(A + 2 * i), ...op.get(A + 2 * i + 1), ...op.f32x4Add, ...op.set(T)],
    ...op.get(Y),
    ...[...lane(0), ...lane(1), ...op.f32Add, ...lane(2), ...lane(3), ...op.f32Add, ...op.f32Add],
    ...op.f32Store(4 * i),
  ];
  const advance = (local: number, by: number[], how: readonly number[] = op.add) => [...op.get(local), ...by, ...how, ...op.set(local)];
  const block = op.loop([
    ...[...op.get(W), ...op.load(), ...op.set(T)],
    ...each(4, convert),
    ...each(n, (i) => each(4, (quarter) => accumulate(i, quarter))),
    ...advance(W, op.constant(BLOCK)),
    ...advance(P, op.constant(4 * BLOCK * n)),
    ...[...op.get(W), ...op.get(E), ...op.lessUnsigned, ...op.repeatIf()],
  ]);
  const row = op.loop([
    ...each(2 * n, (i) => [...op.zeros, ...op.set(A + i)]),
    ...[...op.get(X), ...op.set(P), ...op.get(W), ...op.get(WIDTH), ...op.add, ...op.set(E)],
    ...block,
    ...each(n, write),
    ...advance(Y, op.constant(4 * n)),
    ...advance(ROWS, op.constant(1), op.subtract),
    ...[...op.get(ROWS), ...op.repeatIf()],
  ]);
  const vectors = new Array<number>(1 + 4 + 2 * n).fill(TYPES.v128);
  return { name: `of${n}`, locals: [TYPES.i32, TYPES.i32, ...vectors], body: row };
}

export const KERNEL = assembled(5, COUNTS.map(products));
