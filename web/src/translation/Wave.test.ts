import { expect, test } from "vitest";
import { askedAt, said } from "../said/said";
import type { AxisInfo } from "../source";
import { units } from "../weights/units";
import { envelope, spread } from "./Wave";

const sound: AxisInfo = { tokens: ["0.00s", "0.02s", "0.04s", "0.06s", "0.08s", "0.10s"], predicts: null, words: [[0, 2], [2, 3], [3, 4], [4, 6]], sentences: null, prompt: 6, peaks: [0.1, 0.5, 0, 0.2] };
const stretches = units(sound, "word");

test("a sound's words are its stretches, named by when they begin, and the silence behind", () => {
  expect(stretches.map(({ label, special }) => [label, special])).toEqual([["0.00s", false], ["0.04s", false], ["0.06s", false], ["0.08s …", true]]);
});

test("stretches stand where they are in time, and the silence is short", () => {
  expect(spread(stretches, sound.peaks!, 456).map(({ start, end }) => [start, end])).toEqual([[0, 200], [200, 300], [300, 400], [400, 456]]);
});

test("the envelope goes along the sound above the middle and back below, as high as the loudest", () => {
  expect(envelope([0.5, 0.25], 20, 100, true)).toBe("M5.0 3.0L15.0 26.5L15.0 73.5L5.0 97.0Z");
  expect(envelope([0.5, 0.25], 20, 100, false)).toBe("M3.0 5.0L26.5 15.0L73.5 15.0L97.0 5.0Z");
});

test("the sentence names the time around the strongest stretch, and the silence where that is stronger", () => {
  const word: AxisInfo = { tokens: ["<s>", "▁tea"], predicts: ["▁tea", "</s>"], words: [[1, 2]], sentences: null, prompt: 1 };
  const looks = (values: number[]) => said(askedAt(word, 0, true)!, sound, { height: 1, width: 6, values: Float32Array.from(values) })?.looks.map(({ label, share }) => [label, Number(share.toFixed(2))]);
  expect(looks([0.02, 0.03, 0.3, 0.5, 0.1, 0.05])).toEqual([["0.04s–0.08s", 0.8]]);
  expect(looks([0.02, 0.03, 0.1, 0.05, 0.4, 0.4])).toEqual([["0.08s …", 0.8], ["0.00s–0.08s", 0.2]]);
});
