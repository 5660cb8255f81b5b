import { expect, test } from "vitest";
import { RAMP_LENGTH } from "../colour";
import type { Ablation, TapInfo } from "../source";
import { beside } from "./Ablate";
import { nextHead } from "./commands";
import { derivation, largestProducts } from "./derivation";
import { brief } from "./Heads";
import { sorted } from "./overview";
import { continues } from "./Sentences";
import { paint, rgb } from "./Thumbnail";

test("the largest products and what the others have together are q·k", () => {
  const cell = { query_vector: [1, -2, 3, 0.5, 7], key_vector: [2, 3, 1, 4, 0] };
  const { products, others, rest } = largestProducts(cell, 2);
  expect(products.map(({ index, product }) => [index, product])).toEqual([[1, -6], [2, 3]]);
  expect(others).toBe(3);
  expect(rest).toBe(2 + 2 + 0);
});

test("a score that scale and bias do not explain was capped", () => {
  const plain = { dot: 8, scale: 0.5, bias: -1, score: 3 };
  expect(derivation(plain)).toMatchObject({ scaled: 4, biased: 3, capped: false });
  expect(derivation({ ...plain, score: 2.9 })?.capped).toBe(true);
  expect(derivation({ dot: 8, scale: null, bias: -1, score: 3 })).toBeNull();
});

test("heads are sorted over all layers; a distance that is not known comes last", () => {
  const summary = (tap: string, distances: (number | null)[]) => ({
    tap,
    rows: 1,
    of: 1,
    sink_key: 0,
    heads: distances.map((distance, head) => ({ head, entropy: 5 - head, distance, sink: 0, mostly_sink: false })),
  });
  const layers = [
    { tap: "a", layer: 0, summary: summary("a", [3, null]) },
    { tap: "b", layer: 1, summary: summary("b", [2, 4]) },
  ];
  const names = (order: "layer" | "distance" | "entropy") => sorted(layers, order).map(({ tap, head }) => tap + head);
  expect(names("distance")).toEqual(["b0", "a0", "b1", "a1"]);
  expect(names("entropy")).toEqual(["a1", "b1", "a0", "b0"]);
  expect(names("layer")).toEqual(["a0", "a1", "b0", "b1"]);
});

test("after the last head comes their mean, then the first", () => {
  const tap = { heads: 3 } as TapInfo;
  expect([0, 2, "mean" as const].map((head) => nextHead(tap, head, 1))).toEqual([1, "mean", 0]);
  expect([0, "mean" as const].map((head) => nextHead(tap, head, -1))).toEqual(["mean", 2]);
});

test("candidates of before and after stand in one list, the token itself with its own numbers", () => {
  const answer = {
    token: "am",
    before: 0.8,
    after: 0.1,
    candidates_before: [{ token: "am", probability: 0.8 }, { token: "auf", probability: 0.1 }],
    candidates_after: [{ token: "an", probability: 0.7 }, { token: "auf", probability: 0.2 }],
  } as Ablation;
  expect(beside(answer)).toEqual([
    { token: "am", before: 0.8, after: 0.1 },
    { token: "an", before: null, after: 0.7 },
    { token: "auf", before: 0.1, after: 0.2 },
  ]);
});

test("thumbnails shade by the root of the weight on one scale, and leave the mask out", () => {
  const ramp = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => i);
  expect([...paint(new Float32Array([0, 0.25, 1, NaN]), ramp, 999)]).toEqual([0, 128, 255, 999]);
});

test("short and long hexadecimal colours are the same", () => {
  expect(rgb("#1af")).toEqual([0x11, 0xaa, 0xff]);
  expect(rgb("#11aaff")).toEqual(rgb("#1AF"));
});

test("numbers under a thumbnail have at most three characters", () => {
  expect([0.04, 9.94, 9.96, 312.4, 1600].map(brief)).toEqual(["0.0", "9.9", "10", "312", "2k"]);
});

test("running text has spaces where the tokenizer marked the beginning of a word", () => {
  expect(["▁sto", "ve", ".", "</s>"].map((token) => continues(token, "start"))).toEqual([false, true, true, false]);
  expect(["sto", "##ve", "."].map((token) => continues(token, "hash"))).toEqual([false, true, false]);
});
