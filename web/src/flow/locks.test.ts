import { expect, it } from "vitest";
import { overlapping, positionsToggled, strongestCell } from "./locks";

const words = [{ first: 0, end: 1 }, { first: 1, end: 4 }, { first: 4, end: 5 }];

it("a lock on a token is a lock on its word, and the other way round", () => {
  expect([...overlapping(words, [2, 4, 17])]).toEqual([1, 2]);
  expect(positionsToggled([0], words[1]!)).toEqual([0, 1]);
  expect(positionsToggled([0, 3], words[1]!)).toEqual([0]);
});

it("a block's strongest cell is found among those the mask allows", () => {
  const map = { values: Float32Array.of(NaN, 0.2, 0.1, NaN, NaN, 0.3), height: 2, width: 3 };
  expect(strongestCell(map, { first: 0, end: 2 }, { first: 0, end: 2 })).toEqual({ query: 0, key: 1 });
  expect(strongestCell(map, { first: 1, end: 5 }, { first: 0, end: 2 })).toBeNull();
});
