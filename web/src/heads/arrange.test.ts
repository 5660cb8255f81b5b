import { expect, test } from "vitest";
import type { PatternName, TapInfo } from "../source";
import { arranged, blocked, brief, counts, fitted, packed, placed, type Placed } from "./arrange";

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

test("pictures fill the width or the height, and never shrink below what their words need", () => {
  expect(fitted(1192, 2000, 12, 6)).toEqual({ side: 92, columns: 12 }); // 12 × 92 + 11 × 8
  expect(fitted(1192, 440, 4, 3)).toEqual({ side: 105, columns: 4 }); // 3 × (105 + 36) + 2 × 8 ≤ 440
  expect(fitted(358, 600, 12, 6)).toEqual({ side: 65, columns: 5 }); // broken after five: 5 × 65 + 4 × 8 ≤ 358
  expect(fitted(0, 0, 12, 6).columns).toBe(1);
});

test("chosen heads are as large as the screen allows, and scroll where they would be too small", () => {
  expect(packed(1000, 600, 6)).toEqual({ side: 260, columns: 3 }); // 2 × (260 + 36) + 8 = 600
  expect(packed(1000, 600, 1)).toEqual({ side: 320, columns: 1 });
  expect(packed(1000, 300, 144)).toEqual({ side: 92, columns: 10 });
  expect(packed(358, 400, 0).columns).toBeGreaterThan(0);
});

test("encoder, decoder and cross-attention stand beside each other where one row holds their heads", () => {
  expect(blocked(1100, 700, 4, [3, 3, 3])).toEqual({ side: 81, columns: 4, beside: true });
  expect(blocked(1100, 700, 12, [12, 12, 12])).toMatchObject({ columns: 12, beside: false });
  expect(blocked(1100, 700, 12, [6])).toMatchObject({ columns: 12, beside: false });
});

test("numbers under a picture have at most three characters", () => {
  expect([0.04, 9.94, 9.96, 312.4, 1600].map(brief)).toEqual(["0.0", "9.9", "10", "312", "2k"]);
});
