import { expect, it } from "vitest";
import { grouped } from "./matrix";

const map = { values: Float32Array.of(0.5, 0.25, 0.25, 0.1, 0.6, 0.3, NaN, NaN, 1, 0.2, 0.2, NaN), height: 4, width: 3 };

it("sums a unit's columns and averages its rows", () => {
  const words = grouped(map, [{ first: 0, end: 2 }, { first: 2, end: 4 }], [{ first: 0, end: 2 }, { first: 2, end: 3 }]);
  // by hand: (0.75 + 0.7) / 2, (0.25 + 0.3) / 2; the second row: (0 + 0.4) / 2, (1 + 0) / 2
  [0.725, 0.275, 0.2, 0.5].forEach((value, i) => expect(words.values[i]).toBeCloseTo(value, 6));
});

it("is NaN only where the mask forbids all of a block, or where there is no row", () => {
  const words = grouped(map, [{ first: 2, end: 3 }, { first: 4, end: 4 }], [{ first: 0, end: 2 }, { first: 2, end: 3 }]);
  expect([...words.values].map(Number.isNaN)).toEqual([true, false, true, true]);
});
