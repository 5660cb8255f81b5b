import { expect, test } from "vitest";
import { softmax } from "./rows";
import { large } from "./Softmax";

test("softmax of three scores by hand: e, e² and e³ over their sum", () => {
  expect(softmax([1, 2, 3])).toEqual([
    expect.closeTo(0.09003057, 8), expect.closeTo(0.24472847, 8), expect.closeTo(0.66524096, 8),
  ]);
});

test("a score too large for e to it still has its weight, and one that is hidden has none", () => {
  expect(softmax([1000, null, 999])).toEqual([expect.closeTo(1 / (1 + Math.exp(-1)), 12), 0, expect.closeTo(1 / (1 + Math.exp(1)), 12)]);
});

test("numbers of every size are short", () => {
  expect([12.345, 0.5, 1234, 4.85e8, 0.00002, 0, Infinity].map(large)).toEqual([
    "12.3", "0.500", "1234", "4.9 × 10⁸", "2.0 × 10⁻⁵", "0.00", "∞",
  ]);
});
