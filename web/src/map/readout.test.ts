import { describe, expect, test } from "vitest";
import { positions } from "./geometry/positions";
import { sayIn } from "../words/words";
import { quantityName, what, where } from "./readout";

const say = sayIn("en");

const axis = { tokens: ["▁Zwei", "▁Männer"], predicts: ["▁Männer", "</s>"], words: null, sentences: null, prompt: 0 };
const axes = {
  queries: positions(axis, "target", 2, "token"),
  keys: positions({ ...axis, predicts: null }, "source", 4000, "token"),
  shape: { rows: 2, columns: 4000 },
};
const reading = { level: 0, row: 0, column: 1, value: 0.25, every: 1 };
const named = { say, quantity: "weight", reduce: "max", difference: false } as const;

describe("a cell", () => {
  test("says its tokens and its value", () => {
    expect(where(say, reading, axes)).toBe("query 0 “Zwei” (predicts “Männer”) → key 1 “Männer”");
    expect(what(reading, named)).toBe("weight 0.25");
    expect(what(reading, { ...named, say: sayIn("de") })).toBe("Gewicht 0.25");
  });
  test("of a block says what it stands for", () => {
    const block = { ...reading, level: 5, row: 1, column: 3999, every: 8 };
    expect(where(say, block, axes)).toBe("queries 0–1 → keys 3,968–3,999");
    expect(what(block, named)).toBe("largest weight 0.25, every 8 rows so far");
    expect(what({ ...block, every: 1 }, { ...named, reduce: "mean" })).toBe("mean weight 0.25");
    expect(what({ ...block, every: 1 }, { ...named, difference: true })).toBe("between maxima, Δ weight 0.25");
  });
  test("that is masked or not there yet has no number", () => {
    expect(what({ ...reading, value: NaN }, named)).toBe("masked: may not attend");
    expect(what({ ...reading, value: null }, named)).toBe("…");
  });
});

test("quantities have their names", () => {
  expect(quantityName({ say, quantity: "norm", difference: true })).toBe("Δ norm");
});
