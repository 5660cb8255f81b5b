import { expect, test } from "vitest";
import { large, softmax } from "./Softmax";

test("softmax of three scores by hand: e, e² and e³ over their sum", () => {
  const { shares, sum } = softmax([1, 2, 3]);
  expect(sum).toBeCloseTo(2.718281828 + 7.389056099 + 20.085536923, 8);
  expect(shares.map(({ weight }) => weight)).toEqual([
    expect.closeTo(0.09003057, 8), expect.closeTo(0.24472847, 8), expect.closeTo(0.66524096, 8),
  ]);
});

test("a score too large for e to it still has its weight", () => {
  const { shares, sum } = softmax([1000, 999]);
  expect(sum).toBe(Infinity);
  expect(shares[0]!.weight).toBeCloseTo(1 / (1 + Math.exp(-1)), 12);
});

test("numbers of every size are short", () => {
  expect([12.345, 0.5, 1234, 4.85e8, 0.00002, 0, Infinity].map(large)).toEqual([
    "12.3", "0.500", "1234", "4.9 × 10⁸", "2.0 × 10⁻⁵", "0.00", "∞",
  ]);
});
