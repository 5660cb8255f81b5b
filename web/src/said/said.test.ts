import { expect, test } from "vitest";
import type { AxisInfo } from "../source";
import { askedAt, asks, said, split, telling } from "./said";

const source: AxisInfo = { tokens: ["▁a", "▁cu", "p", "</s>"], predicts: null, words: [[0, 1], [1, 3]], sentences: null, prompt: 4 };
const target: AxisInfo = {
  tokens: ["<s>", "▁eine", "▁Tas", "se"], predicts: ["▁eine", "▁Tas", "se", "</s>"], words: [[1, 2], [2, 4]], sentences: null, prompt: 1,
};
const map = {
  height: 4,
  width: 4,
  values: Float32Array.from([0.6, 0.1, 0.1, 0.2, 0.1, 0.5, 0.4, 0, 0, 0.7, 0.3, 0, 0.15, 0, 0, 0.85]),
};

test("a row of a decoder speaks of the whole word that it predicts", () => {
  expect(askedAt(target, 1, true)).toEqual({ label: "Tasse", deed: "write", rows: { first: 1, end: 3 } });
  expect(askedAt(target, 2, true)).toEqual(askedAt(target, 1, true));
  expect(askedAt(target, 0, true)).toMatchObject({ label: "eine", rows: { first: 0, end: 1 } });
  expect(askedAt(target, 3, true)).toMatchObject({ label: "</s>", rows: { first: 3, end: 4 } });
  expect(askedAt(target, 1, false)?.deed).toBe("predict");
  expect(askedAt(target, 4, true)).toBeNull();
});

test("without the first token, a row is said as if it were not there", () => {
  const { looks, asked } = said(askedAt(target, 0, true) as never, source, map, 0, true)!;
  expect([asked.label, looks.map(({ label, share }) => [label, share])]).toEqual(["eine", [["cup", expect.closeTo(0.5, 6)]]]);
});

test("a row of an encoder speaks of the word that it reads", () => {
  expect(askedAt(source, 2, false)).toMatchObject({ label: "cup", deed: "read", rows: { first: 1, end: 3 } });
});

test("a prompt is predicted, what follows is written", () => {
  const axis: AxisInfo = { tokens: ["▁one", "▁two", "▁three"], predicts: ["▁two", "▁three", "▁four"], words: null, sentences: null, prompt: 2 };
  expect([0, 1, 2].map((query) => askedAt(axis, query, true)?.deed)).toEqual(["predict", "write", "write"]);
});

test("the looks are shares of words, summed over their tokens and averaged over the rows", () => {
  const found = said(askedAt(target, 1, true)!, source, map);
  expect(found?.looks.map(({ label }) => label)).toEqual(["cup"]);
  expect(found?.looks[0]?.share).toBeCloseTo((0.9 + 1) / 2, 6);
  const rows = { ...map, height: 2, values: map.values.subarray(4, 12) };
  expect(said(askedAt(target, 1, true)!, source, rows, 1)).toEqual(found);
});

test("a token of the model's own is named with the word after it", () => {
  const found = said(askedAt(target, 3, true)!, source, map);
  expect([found?.special, found?.looks.map(({ label }) => label)]).toEqual([true, ["</s>", "a"]]);
});

test("the row that says most is one of a word that looks at one word", () => {
  expect(telling(asks(target, true), split(source), [map], false)?.asked.label).toBe("Tasse");
});

test("within one text, a look over other words says more than one at the next word, over an apostrophe too", () => {
  const tokens = ["animal", "'", "was", "tired"];
  const axis: AxisInfo = { tokens, predicts: null, words: null, sentences: null, prompt: 4 };
  const values = Float32Array.from([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0.8, 0.2, 0, 0]);
  const far = telling(asks(axis, false), split(axis), [{ height: 4, width: 4, values }], true);
  expect([far?.asked.label, far?.worth]).toEqual(["tired", expect.closeTo(0.64 / 1.5, 6)]);
  expect(telling(asks(axis, false), split(axis), [{ height: 4, width: 4, values: new Float32Array(16) }], true)).toBeNull();
});

test("of several heads, what most look at is said, by the one that looks at it most, and no single head's stronger look", () => {
  const tokens = ["the", "animal", "was", "so", "it", "slept"];
  const axis: AxisInfo = { tokens, predicts: null, words: null, sentences: null, prompt: 6 };
  const head = (query: number, key: number, share: number) => ({ height: 6, width: 6, values: Float32Array.from({ length: 36 }, (_, i) => (i === 6 * query + key ? share : 0)) });
  const best = telling(asks(axis, false), split(axis), [head(0, 3, 0.9), head(4, 1, 0.6), head(4, 1, 0.8)], true);
  expect(best).toMatchObject({ asked: { label: "it" }, map: 2, share: expect.closeTo(0.8, 6) });
});
