import { expect, test } from "vitest";
import { large } from "./Softmax";

test("numbers of every size are short", () => {
  expect([12.345, 0.5, 1234, 4.85e8, 0.00002, 0, Infinity].map(large)).toEqual([
    "12.3", "0.500", "1234", "4.9 × 10⁸", "2.0 × 10⁻⁵", "0.00", "∞",
  ]);
});
