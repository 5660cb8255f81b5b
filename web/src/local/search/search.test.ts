import { expect, test } from "vitest";
import type { Decoding } from "../config";
import { largest, logSoftmax, shrunk } from "./numbers";
import { ended, written } from "./search";

const decoding: Decoding = {
  max_new_tokens: 4, min_new_tokens: 0, num_beams: 1, length_penalty: 1, early_stopping: false, eos_ids: [0], start_id: 0,
  forbidden_ids: [], renormalized: false, forced_bos_id: null, forced_eos_id: null, unsure_below: 0,
};

/** Three tokens; 0 ends. What comes next depends on the last token alone. */
const NEXT: Record<number, number[]> = { 0: [0.1, 0.5, 0.4], 1: [0.3, 0.4, 0.3], 2: [0.9, 0.05, 0.05] };
const next = (token: number) => Float32Array.from(NEXT[token] as number[], Math.log);
const found = (more: Partial<Decoding> = {}, beginning: number[] = []) => ended(written(next, { ...decoding, ...more }, beginning, null, false));

test("the likeliest tokens are written and cut off at the limit", () => {
  const [best] = found();
  expect(best).toMatchObject({ tokens: [1, 1, 1, 1], finished: false });
  expect(best?.score).toBeCloseTo(Math.log(0.5 * 0.4 ** 3) / 4, 5);
});

test("what is written so far is given at each step", () => {
  expect([...written(next, decoding, [], null, false)].map((tokens) => tokens.length)).toHaveLength(3);
});

test("an end before the minimum, and a forbidden token, are never written", () => {
  expect(found({ min_new_tokens: 2, forbidden_ids: [1] })[0]?.tokens.indexOf(0)).toBe(2);
  expect(found({ forbidden_ids: [1] })[0]?.tokens).toEqual([2, 0]);
  expect(() => found({ forbidden_ids: [0, 1, 2] })).toThrow("every token was forbidden at some step");
});

test("forced tokens come first and last, and a beginning before them", () => {
  expect(found({ max_new_tokens: 3, forced_bos_id: 2, forced_eos_id: 2, min_new_tokens: 3 })[0]?.tokens).toEqual([2, 1, 2]);
  expect(found({ forced_bos_id: 2 }, [1, 2])[0]?.tokens).toEqual([1, 2, 0]);
});

test("the largest are found in order, of equals the first", () => {
  expect(largest([3, 9, 9, 1, 7], 3)).toEqual([1, 2, 4]);
  expect(largest([1], 3)).toEqual([0]);
  expect([...logSoftmax(Float32Array.from([0, 0]))].map((value) => Math.exp(value))).toEqual([0.5, 0.5].map((value) => expect.closeTo(value, 6)));
});

test("the quick exponential is the exponential", () => {
  for (let y = 0; y < 44; y += 0.0137) expect(Math.abs(shrunk(y) / Math.exp(-y) - 1)).toBeLessThan(1e-9);
  expect([shrunk(0), shrunk(1e3), shrunk(Infinity), shrunk(NaN)]).toEqual([1, 0, 0, NaN]);
});
