import { expect, test, vi } from "vitest";
import { library } from "../../tests/library";
import { Native } from "./native";

test("a browser that cannot run the library learns which can", () => {
  expect(() => new Native(library.slice(0, 99))).toThrow("open the page in a current Chromium or Firefox");
});

test("a model that the engine refuses is refused with its reason", () => {
  expect(() => new Native(library).open(new Uint8Array(200), {}, new Uint8Array(0), {})).toThrow("The model cannot run in this page: vocab_size must be from 1");
});

test("a library of another version is refused", async () => {
  vi.resetModules();
  vi.doMock("./interface", async (original) => ({ ...(await original<object>()), INTERFACE: 0 }));
  const { Native: Other } = await import("./native");
  expect(() => new Other(library)).toThrow(/must have the interface 0, and has \d+; save the page again\./);
  vi.doUnmock("./interface");
});

const engine = new Native(library);
const weightsOf = (scores: readonly number[], rows = 1) => {
  const found = Float64Array.from(scores);
  const lse = engine.softmax(found, rows);
  return { weights: [...found], lse: [...lse] };
};

test("softmax of three scores by hand: e, e² and e³ over their sum", () => {
  const { weights, lse } = weightsOf([1, 2, 3]);
  expect(weights).toEqual([expect.closeTo(0.09003057, 8), expect.closeTo(0.24472847, 8), expect.closeTo(0.66524096, 8)]);
  expect(lse).toEqual([expect.closeTo(Math.log(Math.E + Math.E ** 2 + Math.E ** 3), 12)]);
  engine.logSoftmax(Float32Array.of(1, 2, 3), 3).forEach((row) => row.forEach((value, i) => expect(value).toBeCloseTo(Math.log(weights[i] as number), 6)));
});

test("a score too large for e to it still has its weight, one that is masked none, and a row of those none at all", () => {
  const [one, other] = [1 / (1 + Math.exp(-1)), 1 / (1 + Math.exp(1))];
  const { weights, lse } = weightsOf([1000, -Infinity, 999, -Infinity, -Infinity, -Infinity], 2);
  expect(weights).toEqual([expect.closeTo(one, 12), 0, expect.closeTo(other, 12), 0, 0, 0]);
  expect(lse[1]).toBe(-Infinity);
});

test("the largest are found in order, of equals the first, and nothing that is impossible", () => {
  expect(engine.largest(Float32Array.of(3, 9, 9, 1, 7), 3)).toEqual([1, 2, 4]);
  expect(engine.largest(Float32Array.of(1, -Infinity), 3)).toEqual([0]);
});

test("a draw leaves out what top-k and top-p leave out, and keeps what is as likely as the last", () => {
  const logits = Float32Array.of(Math.log(0.1), Math.log(0.4), Math.log(0.4), Math.log(0.1));
  const kept = (settings: object) => [...engine.narrowed(logits, { temperature: 1, top_k: 0, top_p: 1, ...settings })].map((value) => value > -Infinity);
  expect(kept({})).toEqual([true, true, true, true]);
  expect(kept({ top_k: 1 })).toEqual([false, true, true, false]);
  expect(kept({ top_k: 3 })).toEqual([true, true, true, true]);
  expect(kept({ top_p: 0.7 })).toEqual([false, true, true, false]);
  expect(engine.narrowed(logits, { temperature: 2, top_k: 0, top_p: 1 })[1]).toBeCloseTo(Math.log(0.4) / 2, 6);
});
