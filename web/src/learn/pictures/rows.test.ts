import { expect, test } from "vitest";
import type { Explanation } from "../../source";
import { distance, matrixOf, reach, rowOf } from "./rows";

const table = (name: string, per_head: boolean, values: (number | null)[][][]) => ({
  name, per_head, values, symbol: "", rows: "", columns: "", shape: [], title: "", sentence: "", equation: "", inputs: [],
});
const explanation = {
  tokens: ["a", "b", "c"],
  key_tokens: ["a", "b", "c"],
  steps: [
    table("vectors", false, [[[1, 2], [3, 4], [5, 6]]]),
    table("masked", true, [[[0, null, null]], [[0, 0, null]]].map(([row]) => [row!, row!, row!])),
    table("weights", true, [[[1, 0, 0]], [[0.25, 0.75, 0]]].map(([row]) => [row!, row!, row!])),
    table("value", true, [[[1], [3], [5]], [[2], [4], [6]]]),
    table("attended", true, [[[1], [1], [1]], [[3.5], [3.5], [3.5]]]),
  ],
} as unknown as Explanation;

test("a row's shares of the values add up to its output", () => {
  const { looks, output } = rowOf(explanation, 2, 1);
  expect(looks.map(({ word, score, weight, given }) => [word, score, weight, given])).toEqual([
    ["a", 0, 0.25, [0.5]], // 0.25 · 2
    ["b", 0, 0.75, [3]],
    ["c", null, 0, [0]],
  ]);
  expect(output).toEqual([3.5]);
});

test("a matrix is its head's, or the only one; a step that there is not has none", () => {
  expect(matrixOf(explanation, "value", 1)).toEqual([[2], [4], [6]]);
  expect(matrixOf(explanation, "vectors", 1)).toEqual([[1, 2], [3, 4], [5, 6]]);
  expect(matrixOf(explanation, "rotated_query")).toBeNull();
});

test("colors reach as far as the largest number, whatever its sign", () => {
  expect(reach([[1, -3], [null, 2]])).toBe(3);
  expect(reach([[0, null]])).toBe(1);
  expect(distance([1, 2, 2], [0, 0, 0])).toBe(3);
});
