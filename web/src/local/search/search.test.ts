import { expect, test } from "vitest";
import type { Decoding } from "../config";
import { largest, logSoftmax, shrunk } from "./numbers";
import { ended, search, type Decoder } from "./search";

const decoding: Decoding = {
  max_new_tokens: 4, min_new_tokens: 0, num_beams: 1, length_penalty: 1, early_stopping: false, eos_ids: [0], start_id: 0,
  forbidden_ids: [], renormalized: false, forced_bos_id: null, forced_eos_id: null, unsure_below: 0,
};

const searched = (...asked: Parameters<typeof search>) => ended(search(...asked));

/** Three tokens; 0 ends. What comes next depends on the last token alone. */
const NEXT: Record<number, number[]> = { 0: [0.1, 0.5, 0.4], 1: [0.3, 0.4, 0.3], 2: [0.9, 0.05, 0.05] };

function chain(): Decoder & { rows: number[][] } {
  const rows: number[][] = [];
  const step = (tokens: readonly number[]) => Float32Array.from(tokens.flatMap((token) => (NEXT[token] as number[]).map(Math.log)));
  const ranked = (token: number, best: number) => {
    const logits = step([token]);
    return Array.from({ length: best }, (_, i) => largest(logits, best)[i] ?? -1).map((id) => [id, logits[id] ?? -Infinity] as const);
  };
  return {
    rows,
    step,
    likeliest: (tokens, best) => {
      const all = tokens.flatMap((token) => ranked(token, best));
      return { ids: Int32Array.from(all, ([id]) => id), logs: Float32Array.from(all, ([, log]) => log) };
    },
    select: (kept) => void rows.push([...kept]),
  };
}

test("greedy search takes the likeliest token and is cut off at the limit", () => {
  const [found] = searched(chain(), decoding);
  expect(found).toMatchObject({ tokens: [1, 1, 1, 1], finished: false });
  expect(found?.score).toBeCloseTo(Math.log(0.5 * 0.4 ** 3) / 4, 5);
});

test("beams find the sentence that greedy search misses", () => {
  const found = searched(chain(), { ...decoding, num_beams: 2 });
  expect(found[0]).toMatchObject({ tokens: [2, 0], finished: true });
  expect(found[0]?.score).toBeCloseTo(Math.log(0.4 * 0.9) / 2, 5);
});

test("early stopping ends with as many finished sentences as there are beams", () => {
  // After 1, an end is third at step two, and only the best two candidates may end.
  const found = searched(chain(), { ...decoding, num_beams: 2, early_stopping: true });
  expect(found.map((each) => each.tokens)).toEqual([[2, 0], [1, 2, 0]]);
});

test("an end before the minimum, and a forbidden token, are never written", () => {
  expect(searched(chain(), { ...decoding, min_new_tokens: 2, num_beams: 2 }).every(({ tokens }) => tokens.indexOf(0) === -1 || tokens.indexOf(0) >= 2)).toBe(true);
  expect(searched(chain(), { ...decoding, forbidden_ids: [1] })[0]?.tokens).toEqual([2, 0]);
});

test("forced tokens come first and last, and cost a beam search nothing", () => {
  const [found] = searched(chain(), { ...decoding, num_beams: 2, max_new_tokens: 2, forced_bos_id: 2, forced_eos_id: 0 });
  expect(found?.tokens).toEqual([2, 0]);
  expect(found?.score).toBeCloseTo(0, 6);
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
