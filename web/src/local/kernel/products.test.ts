import { expect, test } from "vitest";
import { signed, unsigned } from "./assembler";
import { KERNEL, limit, plainProducts, productsOver, TOGETHER } from "./products";

const ROWS = 7;
const WIDTH = 48;

/** Weights, then eight vectors whose blocks alternate, then what scales them, then room for the answer. */
function filled() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const weights = new Int8Array(memory.buffer, 0, ROWS * WIDTH);
  weights.forEach((_, i) => (weights[i] = ((i * 37) % 255) - 127));
  const [x, factors, scales, bias, y] = [1024, 2048, 2304, 2560, 4096];
  const vectors = new Int16Array(memory.buffer, x, TOGETHER * WIDTH);
  vectors.forEach((_, i) => (vectors[i] = Math.round(32_767 * Math.sin(i * i))));
  const numbers = (at: number, f: (i: number) => number) => {
    const values = new Float32Array(memory.buffer, at, 8);
    values.forEach((_, i) => (values[i] = f(i)));
    return values;
  };
  const read = {
    factors: numbers(factors, (i) => 1e-4 * (i + 1)),
    scales: numbers(scales, (i) => 0.01 + 0.003 * i),
    bias: numbers(bias, (i) => Math.cos(i)),
  };
  const product = { w: 0, x, y, rows: ROWS, width: WIDTH, scales, bias, factors, stride: 4 * ROWS };
  const answer = (n: number) => new Float32Array(memory.buffer, y, ROWS * n);
  return { memory, weights, vectors, product, answer, ...read };
}

test("numbers are written as WebAssembly has them", () => {
  expect(unsigned(624485)).toEqual([0xe5, 0x8e, 0x26]);
  expect(signed(-123456)).toEqual([0xc0, 0xbb, 0x78]);
  expect(signed(64)).toEqual([0xc0, 0x00]); // bit 6 alone would be a sign
});

test("an engine with SIMD accepts the module, which stays small", () => {
  expect(WebAssembly.validate(KERNEL)).toBe(true);
  expect(KERNEL.length).toBeLessThan(8192);
});

test("no sum of the largest numbers leaves 32 bits", () => {
  for (const width of [16, 256, 1024, 4096]) {
    expect(127 * width * limit(width)).toBeLessThan(2 ** 31);
    expect(limit(width)).toBeGreaterThan(4000);
  }
});

test.each([1, 3, 8])("%i vectors: the products by definition", (n) => {
  const { memory, weights, vectors, product, answer, factors, scales, bias } = filled();
  productsOver(memory)(n, product);
  for (let row = 0; row < ROWS; row++)
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let k = 0; k < WIDTH; k++) {
        const at = Math.floor(k / 16) * 16 * n + i * 16 + (k % 16);
        sum += (weights[row * WIDTH + k] as number) * (vectors[at] as number);
      }
      const expected = sum * (factors[i] as number) * (scales[row] as number) + (bias[row] as number);
      expect(answer(n)[i * ROWS + row]).toBeCloseTo(expected, 3);
    }
});

test.each([1, 3, 8])("%i vectors: plain TypeScript gives the same bits", (n) => {
  const { memory, product, answer } = filled();
  productsOver(memory)(n, product);
  const simd = answer(n).slice();
  answer(n).fill(NaN);
  plainProducts(memory.buffer)(n, product);
  expect(answer(n)).toEqual(simd);
});

test("a vector's products do not depend on its company", () => {
  const { memory, vectors, factors, product, answer } = filled();
  const run = productsOver(memory);
  run(4, product);
  const third = answer(4).slice(2 * ROWS, 3 * ROWS);
  const alone = Int16Array.from({ length: WIDTH }, (_, k) => vectors[Math.floor(k / 16) * 64 + 32 + (k % 16)] as number);
  vectors.set(alone);
  factors[0] = factors[2] as number;
  run(1, product);
  expect(answer(1)).toEqual(third);
});
