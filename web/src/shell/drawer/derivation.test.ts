import { expect, test } from "vitest";
import { derivation, largestProducts } from "./Equation";

test("the largest products and what the others have together are q·k", () => {
  const cell = { query_vector: [1, -2, 3, 0.5, 7], key_vector: [2, 3, 1, 4, 0] };
  const { products, others, rest } = largestProducts(cell, 2);
  expect(products.map(({ index, product }) => [index, product])).toEqual([[1, -6], [2, 3]]);
  expect(others).toBe(3);
  expect(rest).toBe(2 + 2 + 0);
});

test("a score that scale and bias do not explain was capped", () => {
  const plain = { dot: 8, scale: 0.5, bias: -1, score: 3 };
  expect(derivation(plain)).toMatchObject({ scaled: 4, biased: 3, capped: false });
  expect(derivation({ ...plain, score: 2.9 })?.capped).toBe(true);
  expect(derivation({ dot: 8, scale: null, bias: -1, score: 3 })).toBeNull();
});
