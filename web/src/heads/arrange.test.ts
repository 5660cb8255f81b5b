import { expect, test } from "vitest";
import type { PatternName, TapInfo } from "../source";
import { arranged, brief, counts, placed, type Placed } from "./arrange";

type Given = [pattern: PatternName | null, share: number, entropy: number, distance: number | null];
const layer = (name: string, at: number, heads: Given[]) => ({
  tap: { name, layer: at, heads: heads.length } as TapInfo,
  infos: heads.map(([pattern, share, entropy, distance], head) => ({
    head, entropy, distance, pattern,
    patterns: [{ name: "next", share: 0.1, chance: 0.1, rows: 9 }, ...(pattern && pattern !== "next" ? [{ name: pattern, share, chance: 0.1, rows: 9 }] : [])],
  })),
});
const LAYERS = [
  layer("a", 0, [["previous", 0.6, 2, 3], [null, 0, 1, null]]),
  layer("b", 1, [["first", 0.9, 3, 1], ["previous", 0.8, 0.5, 2], [null, 0, 4, 5]]),
];
const ALL = placed(LAYERS.map(({ tap }) => tap), (name) => ({ summary: { heads: LAYERS.find(({ tap }) => tap.name === name)?.infos } }) as never);
const names = (all: readonly Placed[]) => all.map(({ tap, head }) => `${tap.name}${head}`).join(" ");

test("by layer, heads stay in the order of the model", () => {
  expect(names(arranged(ALL, "layer", ""))).toBe("a0 a1 b0 b1 b2");
});

test("by pattern, the largest share comes first and heads without a name come last", () => {
  expect(names(arranged(ALL, "pattern", ""))).toBe("b0 b1 a0 a1 b2");
});

test("by entropy and distance, the smallest comes first, and what has no distance last", () => {
  expect(names(arranged(ALL, "entropy", ""))).toBe("b1 a1 a0 b0 b2");
  expect(names(arranged(ALL, "distance", ""))).toBe("b0 b1 a0 b2 a1");
});

test("a pattern chooses the heads that have its name, and those without a name can be chosen", () => {
  expect(names(arranged(ALL, "layer", "previous"))).toBe("a0 b1");
  expect(names(arranged(ALL, "pattern", "previous"))).toBe("b1 a0");
  expect(names(arranged(ALL, "layer", "none"))).toBe("a1 b2");
  expect(arranged(ALL, "layer", "induction")).toEqual([]);
});

test("each name is counted, in one order, without those that no head has", () => {
  expect(counts(ALL)).toEqual([["previous", 2], ["first", 1], ["none", 2]]);
});

test("heads whose layer is not here yet are shown by layer, last elsewhere, and have no name", () => {
  const waiting = placed(LAYERS.map(({ tap }) => tap), (name) => (name === "b" ? (ALL[2] as Placed).layer : null));
  expect(names(arranged(waiting, "layer", ""))).toBe("a0 a1 b0 b1 b2");
  expect(names(arranged(waiting, "entropy", ""))).toBe("b1 b0 b2 a0 a1");
  expect(counts(waiting).reduce((sum, [, count]) => sum + count, 0)).toBe(3);
});

test("numbers under a picture have at most three characters", () => {
  expect([0.04, 9.94, 9.96, 312.4, 1600].map(brief)).toEqual(["0.0", "9.9", "10", "312", "2k"]);
});
