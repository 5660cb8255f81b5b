import { expect, it } from "vitest";
import type { GenerationInfo, TraceInfo } from "../source";
import { board, grades, linesOf, looksOf, named, ofDay, points, score, thoughtless } from "./game";
import { SENTENCES } from "./sentences";

const trace = {
  text: "a cup, please.",
  axes: {
    source: { tokens: ["▁a", "▁cu", "p", ",", "▁please", ".", "</s>"], predicts: null, words: [[0, 1], [1, 4], [4, 6]], sentences: null, prompt: 7 },
    target: { tokens: ["<s>", "▁eine", "▁Tas", "se", "!", "."], predicts: ["▁eine", "▁Tas", "se", "!", ".", "</s>"], words: [[1, 2], [2, 6]], sentences: null, prompt: 1 },
  },
  taps: [{ name: "decoder.layers.0.cross", kind: "cross", queries: "target", keys: "source" }],
} as unknown as TraceInfo;
const on = board(trace);
const steps = (...all: number[]) => all.map((probability) => ({ probability, token: "", candidates: [], id: 0 })) as GenerationInfo["steps"];

it("a line is that of a word's letters; other lines are even; a mark looks at its like, else at the end", () => {
  const lines = linesOf(["1:2"], on);
  expect([...lines]).toEqual([[1, 1]]);
  expect(looksOf(lines, on)).toEqual(["0:0", "0:1", "0:2", "0:3", "0:4", "0:5", "0:6", "1:1", "1:2", "2:1", "2:2", "3:6", "4:5", "5:6"]);
});

it("lines are named as they are read, and what is no line is left out", () => {
  expect(named(new Map([[1, 2], [0, 0]]), on)).toEqual(["0:0", "1:4"]);
  expect([...linesOf(["0:0", "1:4", "5:0", "0:99", "99:0", "x"], on)]).toEqual([[0, 0], [1, 2]]);
});

it("a score is the geometric mean, of 100", () => {
  expect(score(steps(0.9, 0.4))).toBeCloseTo(60, 6);
  expect([points(77.4), points(0.96), points(0.24)]).toEqual(["77", "1", "0.2"]);
});

it("a word is graded by what it keeps of its own probability", () => {
  expect(grades(on, steps(0.9, 0.8, 1, 1, 1, 1), steps(0.85, 0.3, 1, 1, 1, 1))).toEqual([0, 2, null]);
});

it("lines at random are the same at every reading, one for each word", () => {
  expect([...thoughtless(on)]).toEqual([...thoughtless(board(trace))]);
  expect([...thoughtless(on).keys()]).toEqual([0, 1]);
});

it("a day has one sentence, from its first minute to its last", () => {
  expect(ofDay(new Date(2026, 10, 24, 0, 1))).toBe(ofDay(new Date(2026, 10, 24, 23, 59)));
  expect(ofDay(new Date(2026, 10, 25))).not.toBe(ofDay(new Date(2026, 10, 24)));
  expect(new Set(SENTENCES).size).toBe(SENTENCES.length);
});
