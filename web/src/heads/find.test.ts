import { expect, test } from "vitest";
import { units } from "../weights/units";
import { pairOf } from "./find";

const tokens = ["The", " cat", " saw", " a", " cat", "fish", " and", " the", " cat", ".", " The", " end"];
const words: [number, number][] = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 6], [6, 7], [7, 8], [8, 10], [10, 11], [11, 12]];
const text = units({ tokens, predicts: null, words, sentences: null, prompt: 12 }, "word");
const find = (from: string, to: string, before = {}, causal = true) => pairOf(text, text, from, to, causal, before);

test("a word is the last one in the text, by its last token, and looks at the last one before it", () => {
  expect(find("cat", "the")).toEqual({ query: 9, key: 7 });
  expect(find("end", "catfish")).toEqual({ query: 11, key: 5 });
});

test("asked again, either word gives way to the one before it, and the first to the last", () => {
  expect(find("cat", "the", { query: 9 })).toEqual({ query: 1, key: 0 });
  expect(find("cat", "the", { query: 1 })).toEqual({ query: 9, key: 7 });
  expect(find("cat", "the", { query: 10, key: 7 })).toEqual({ query: 9, key: 0 });
});

test("part of a word will do where no word is what was typed, and what is not there has no place", () => {
  expect(find("fish", "sa")).toEqual({ query: 5, key: 2 });
  expect(find("saw", "fish")).toEqual({ query: 2 });
  expect(find("dog", "cat")).toEqual({});
  expect(find("", "cat", {}, false)).toEqual({ key: 9 });
});

test("between two texts a word may look at any", () => {
  expect(find("saw", "fish", {}, false)).toEqual({ query: 2, key: 5 });
});
