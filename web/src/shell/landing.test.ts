import { expect, test } from "vitest";
import type { TapInfo, TraceInfo } from "../source";
import { landing } from "./address";

const axes: TraceInfo["axes"] = {};
const taps = (rows: number) => [{ rows, columns: rows } as TapInfo];

test("a text opens with its sentence, a translator's with the mean over heads, an image too, and a long text with the map", () => {
  expect(landing({ task: "translation", taps: taps(16), axes })).toEqual({ view: "sentence", head: "mean" });
  expect(landing({ task: "generation", taps: taps(256), axes })).toEqual({ view: "sentence" });
  expect(landing({ task: "vision", taps: taps(512), axes })).toEqual({ view: "sentence", head: "mean" });
  for (const task of ["translation", "generation"] as const) expect(landing({ task, taps: [...taps(16), ...taps(257)], axes })).toEqual({});
});

test("a model of letters opens with words", () => {
  const axis = (tokens: string[]) => ({ tokens: { tokens, words: [[0, 2], [2, 4]] as [number, number][], predicts: null, sentences: null, prompt: 4 } });
  expect(landing({ task: "generation", taps: taps(4), axes: axis(["a", "m", "I", "?"]) })).toEqual({ view: "sentence", group: "word" });
  expect(landing({ task: "generation", taps: taps(4), axes: axis(["▁a", "m", "▁I", "?"]) })).toEqual({ view: "sentence" });
});
