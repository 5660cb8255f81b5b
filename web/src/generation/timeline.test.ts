import { expect, it } from "vitest";
import type { TapInfo } from "../source";
import { leastCertain, rowOf, tapsOf } from "./timeline";

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
