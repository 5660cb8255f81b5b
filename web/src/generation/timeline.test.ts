import { describe, expect, it } from "vitest";
import type { TapInfo } from "../source";
import { leastCertain, rowOf, runs, tapsOf } from "./timeline";

it("a step looks from the position before the one it fills", () => {
  expect(rowOf(1, 0)).toBe(0);
  expect(rowOf(13, 4)).toBe(16);
  expect(rowOf(0, 0)).toBeNull();
});

it("the least certain step is the one with the smallest probability", () => {
  const steps = [0.9, 0.31, 0.3, 0.7].map((probability) => ({ probability, token: "", candidates: [] }));
  expect(leastCertain(steps)).toBe(2);
});

it("a layer's cross-attention comes before its self-attention, of the axis that grew", () => {
  const tap = (name: string, queries: string, kind: string, layer: number) => ({ name, queries, kind, layer }) as TapInfo;
  const taps = [tap("a", "source", "self", 1), tap("b", "target", "self", 1), tap("c", "target", "cross", 1), tap("d", "target", "self", 2)];
  expect(tapsOf(taps, "target", 1).map((each) => each.name)).toEqual(["c", "b"]);
});

describe("runs", () => {
  it("show a short passage whole", () => {
    expect(runs(new Float32Array(7).fill(1 / 7), 6)).toMatchObject([{ first: 0, end: 7, folded: false }]);
  });
  it("of a long one keep the beginning, the surroundings of peaks and what came just before", () => {
    const weights = new Float32Array(5003).fill(1e-5);
    weights[2500] = 0.5;
    const all = runs(weights, 5002);
    const shown = all.filter((run) => !run.folded);
    const holds = (position: number) => shown.some((run) => position >= run.first && position < run.end);
    expect([0, 2496, 2500, 2504, 5002].every(holds)).toBe(true);
    expect(holds(1500)).toBe(false);
    expect(shown.reduce((sum, run) => sum + run.end - run.first, 0)).toBeLessThan(420);
  });
  it("cover all positions and all the weight", () => {
    const weights = Float32Array.from({ length: 997 }, (_, i) => (i % 89 === 0 ? 0.05 : 0.0005));
    const all = runs(weights, null);
    expect(all[0]!.first).toBe(0);
    expect(all.at(-1)!.end).toBe(997);
    all.slice(1).forEach((run, i) => expect(run.first).toBe(all[i]!.end));
    expect(all.reduce((sum, run) => sum + run.weight, 0)).toBeCloseTo(weights.reduce((sum, value) => sum + value, 0), 4);
  });
});
