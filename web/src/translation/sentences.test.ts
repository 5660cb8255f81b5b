import { expect, it } from "vitest";
import { chances, outputWords, shares } from "./sentences";

const axis = {
  tokens: ["<pad>", "▁Ein", "▁Hünd", "chen", "."],
  predicts: ["▁Ein", "▁Hünd", "chen", ".", "</s>"],
  words: [[1, 2], [2, 4]] as [number, number][],
  sentences: null,
  prompt: 1,
};

it("the output step of a word are the rows that predicted its tokens", () => {
  const words = outputWords(axis, "word", "output");
  expect(words.map((word) => word.label)).toEqual(["Ein", "Hündchen", ".", "</s>"]);
  expect(words.map((word) => [word.rows.first, word.rows.end])).toEqual([[0, 1], [1, 3], [3, 4], [4, 5]]);
});

it("the input step are the rows that read them; the end of the sentence is read by none", () => {
  const words = outputWords(axis, "word", "input");
  expect(words.map((word) => [word.rows.first, word.rows.end])).toEqual([[1, 2], [2, 4], [4, 5], [5, 5]]);
});

it("a first token that nothing predicted has no output step", () => {
  const [first] = outputWords({ ...axis, prompt: 0, words: null }, "token", "output");
  expect(first!.rows).toEqual({ first: 0, end: 0 });
});

it("a word is as probable as its tokens one after another", () => {
  const probability = [0.9, 0.6, 0.5, 0.9, 0.1];
  const steps = probability.map((each) => ({ token: "", probability: each, candidates: [], id: null }));
  expect(chances(outputWords(axis, "word", "input"), 1, steps)).toEqual([0.9, 0.3, 0.9, 0.1]);
});

it("shares of a row sum to one where it has anything", () => {
  const map = { values: Float32Array.of(1, 3, NaN, NaN, NaN, NaN), height: 2, width: 3 };
  expect([...shares(map).values]).toEqual([0.25, 0.75, NaN, NaN, NaN, NaN]);
});
