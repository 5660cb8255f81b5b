import { expect, test } from "vitest";
import { firstWord, permutation, places, swapped, wordsOf } from "./words";

test("words are what the server takes for words: punctuation alone is not a word", () => {
  expect(wordsOf("  The cat — sat, on 2 + 3 …")).toEqual(["The", "cat", "sat", "on", "2", "3"]);
  expect(wordsOf(" ?! ")).toEqual([]);
  expect(wordsOf("a well-known don’t 👍🏽 नमस्ते")).toEqual(["a", "well", "known", "don’t", "👍🏽", "नमस्ते"]);
});

test("two words change places, and changing again brings them back", () => {
  expect(swapped("dog bites man .", [0, -1])).toBe("man bites dog");
  expect(swapped(swapped("a b c d e", [1, 3]), [1, 3])).toBe("a b c d e");
  expect(permutation([1, -1], 4)).toEqual([0, 3, 2, 1]);
  expect(permutation([1, -1], 1)).toEqual([0]);
  expect(permutation([1, -1], 0)).toEqual([]);
});

test("a place beyond the sentence is its last word", () => {
  expect(places([1, 9], 3)).toEqual([1, 2]);
  expect(places([-1, 0], 3)).toEqual([2, 0]);
});

test("the spotlight begins on the longest word, the last of equally long ones", () => {
  expect(firstWord(["an", "apple", "or", "peach", "a"])).toBe(3);
  expect(firstWord([])).toBe(0);
});
