import { expect, test } from "vitest";
import { signed, unsigned } from "./assembler";
import { KERNEL, plainProducts, productsOver } from "./products";

const ROWS = 7;
const WIDTH = 48;

/** Weights, then four vectors whose blocks alternate, then room for the answer. */
function filled() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const weights = new Int8Array(memory.buffer, 0, ROWS * WIDTH).map((_, i) => ((i * 37) % 255) - 127);
  new Int8Array(memory.buffer).set(weights);
  const x = 1024;
  const floats = new Float32Array(memory.buffer, x, 4 * WIDTH).map((_, i) => Math.sin(i) * 3);
  new Float32Array(memory.buffer, x).set(floats);
  return { memory, weights, floats, x, y: 4096 };
}

test("numbers are written as WebAssembly has them", () => {
  expect(unsigned(624485)).toEqual([0xe5, 0x8e, 0x26]);
  expect(signed(-123456)).toEqual([0xc0, 0xbb, 0x78]);
  expect(signed(64)).toEqual([0xc0, 0x00]); // bit 6 alone would be a sign
});

test("an engine with SIMD accepts the module, which stays small", () => {
  expect(WebAssembly.validate(KERNEL)).toBe(true);
  expect(KERNEL.length).toBeLessThan(4096);
});

test.each([1, 3, 4])("%i vectors: the products by definition", (n) => {
  const { memory, weights, floats, x, y } = filled();
  productsOver(memory)(n, 0, x, y, ROWS, WIDTH);
  const found = new Float32Array(memory.buffer, y, ROWS * n);
  for (let row = 0; row < ROWS; row++)
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let k = 0; k < WIDTH; k++) {
        const at = Math.floor(k / 16) * 16 * n + i * 16 + (k % 16);
        sum += (weights[row * WIDTH + k] as number) * (floats[at] as number);
      }
      expect(Math.abs((found[row * n + i] as number) - sum)).toBeLessThan(1e-2);
    }
});

test.each([1, 3, 4])("%i vectors: plain TypeScript gives the same bits", (n) => {
  const { memory, x, y } = filled();
  productsOver(memory)(n, 0, x, y, ROWS, WIDTH);
  const simd = new Float32Array(memory.buffer, y, ROWS * n).slice();
  new Float32Array(memory.buffer, y, ROWS * n).fill(NaN);
  plainProducts(memory.buffer)(n, 0, x, y, ROWS, WIDTH);
  expect(new Float32Array(memory.buffer, y, ROWS * n)).toEqual(simd);
});

test("a vector's products do not depend on its company", () => {
  const { memory, floats, x, y } = filled();
  const run = productsOver(memory);
  run(4, 0, x, y, ROWS, WIDTH);
  const third = Float32Array.from({ length: ROWS }, (_, row) => new Float32Array(memory.buffer, y)[row * 4 + 2] as number);
  const alone = Float32Array.from({ length: WIDTH }, (_, k) => floats[Math.floor(k / 16) * 64 + 32 + (k % 16)] as number);
  new Float32Array(memory.buffer, x).set(alone);
  run(1, 0, x, y, ROWS, WIDTH);
  expect(new Float32Array(memory.buffer, y, ROWS)).toEqual(third);
});
