import { describe, expect, test } from "vitest";
import { positions } from "./geometry/positions";
import { ordinal, quantityName, what, where } from "./readout";

const axis = { tokens: ["▁Zwei", "▁Männer"], predicts: ["▁Männer", "</s>"], words: null, sentences: null, prompt: 0 };
const axes = {
  queries: positions(axis, "target", 2, "token"),
  keys: positions({ ...axis, predicts: null }, "source", 4000, "token"),
  shape: { rows: 2, columns: 4000 },
};
const reading = { level: 0, row: 0, column: 1, value: 0.25, every: 1 };
const named = { quantity: "weight", reduce: "max", difference: false } as const;

describe("a cell", () => {
  test("says its tokens and its value", () => {
    expect(where(reading, axes)).toBe("query 0 “Zwei” (predicts “Männer”) → key 1 “Männer”");
    expect(what(reading, named)).toBe("weight 0.25");
  });
  test("of a block says what it stands for", () => {
    const block = { ...reading, level: 5, row: 1, column: 3999, every: 8 };
    expect(where(block, axes)).toBe("queries 0–1 → keys 3,968–3,999");
    expect(what(block, named)).toBe("largest weight 0.25, of every 8th row so far");
    expect(what({ ...block, every: 1 }, { ...named, reduce: "mean" })).toBe("mean weight 0.25");
    expect(what({ ...block, every: 1 }, { ...named, difference: true })).toBe("between maxima, Δ weight 0.25");
  });
  test("that is masked or not there yet has no number", () => {
    expect(what({ ...reading, value: NaN }, named)).toBe("masked: may not attend");
    expect(what({ ...reading, value: null }, named)).toBe("…");
  });
});

test("quantities have their names", () => {
  expect(quantityName({ quantity: "norm", difference: true })).toBe("Δ ‖α·f(x)‖");
});

test("ordinals end as spoken", () => {
  expect([1, 2, 3, 4, 8, 11, 12, 13, 32, 64, 512].map(ordinal)).toEqual([
    "1st", "2nd", "3rd", "4th", "8th", "11th", "12th", "13th", "32nd", "64th", "512th",
  ]);
});
