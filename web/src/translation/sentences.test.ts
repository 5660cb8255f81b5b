import { expect, it } from "vitest";
import { outputWords, shares, unsureWords } from "./sentences";

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

it("a word is unsure if its tokens' probabilities multiply to less than the bound", () => {
  const probability = [0.9, 0.6, 0.5, 0.9, 0.1];
  const steps = probability.map((each) => ({ token: "", probability: each, candidates: [], id: null }));
  const wrote = { axis: "target", steps, hypotheses: [], shown: 0 };
  const words = outputWords(axis, "word", "input"); // the end is less likely, but is no word
  expect([...unsureWords(words, 1, { ...wrote, unsure_below: 0.31 })]).toEqual([1]);
  expect([...unsureWords(words, 1, { ...wrote, unsure_below: 0.29 })]).toEqual([]);
  expect([...unsureWords(words, 1, { ...wrote, unsure_below: 0 })]).toEqual([]);
});

it("shares of a row sum to one where it has anything", () => {
  const map = { values: Float32Array.of(1, 3, NaN, NaN, NaN, NaN), height: 2, width: 3 };
  expect([...shares(map).values]).toEqual([0.25, 0.75, NaN, NaN, NaN, NaN]);
});
