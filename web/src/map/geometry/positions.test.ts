import { expect, test } from "vitest";
import { axesOf, positions } from "./positions";

const AXIS = {
  tokens: ["<s>", "▁Two", "▁prepar", "ing", "."],
  predicts: null,
  words: [[1, 2], [2, 4], [4, 5]] as [number, number][],
  sentences: null,
  prompt: 0,
};

test("tokens are their own positions", () => {
  const along = positions(AXIS, "source", 5, "token");
  expect([along.length, along.label(1), along.label(3), along.of(3), along.of(5), along.token(2)]).toEqual([5, "Two", "-ing", 3, -1, 2]);
});

test("words are as many as the axis has, with their tokens joined", () => {
  const along = positions(AXIS, "source", 5, "word");
  expect([along.length, along.label(1), along.token(1), along.of(3), along.of(0)]).toEqual([3, "preparing", 2, 1, -1]);
});

test("an axis without such groups stays tokens, as its tiles do", () => {
  expect(positions(AXIS, "source", 5, "sentence").length).toBe(5);
});

test("a word of a decoder says the word that comes next, all of it, or the end", () => {
  const tokens = ["<pad>", "▁eine", "▁Tas", "se"];
  const axis = { ...AXIS, tokens, predicts: ["▁eine", "▁Tas", "se", "</s>"], words: [[1, 2], [2, 4]] as [number, number][] };
  const along = positions(axis, "target", 4, "word");
  expect([along.label(0), along.predicts(0), along.label(1), along.predicts(1)]).toEqual(["eine", "Tasse", "Tasse", "</s>"]);
  expect(positions({ ...axis, predicts: null }, "source", 4, "word").predicts(0)).toBeNull();
});

test("positions without tokens have numbers", () => {
  expect(positions(undefined, "patches", 9, "token").label(7)).toBe("7");
});

test("a map has the rows of its queries and the columns of its keys", () => {
  const trace = { axes: { source: AXIS, target: { ...AXIS, words: null } } } as never;
  const tap = { queries: "target", keys: "source", rows: 7, columns: 5 } as never;
  expect(axesOf(trace, tap, "word").shape).toEqual({ rows: 7, columns: 3 });
});
