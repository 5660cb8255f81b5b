import { expect, test } from "vitest";
import type { TapInfo } from "../source";
import { askedAt, split, type Asked } from "../said/said";
import { sayIn } from "../words/words";
import { described, lookOf, lookOfLong, ranked, sunk } from "./which";

const axis = { tokens: ["[CLS]", "animal", "was", "it"], predicts: null, words: null, sentences: null, prompt: 4 };
const tap = { name: "encoder.layers.0.self", layer: 0, heads: 2, columns: 4 } as TapInfo;
const it_ = askedAt(axis, 3, false) as Asked;
// The last row of two heads: one looks at the first token and then at the animal, one at itself.
const rows = [[0.6, 0.3, 0.1, 0], [0, 0.1, 0.2, 0.7]];
const maps = { heads: 2, height: 4, width: 4, values: Float32Array.from(rows.flatMap((row) => [...Array(12).fill(0), ...row])) };
const look = (head: number | "mean") => lookOf(tap, head, maps, it_, split(axis), true);

test("of a row, the other word is named that it looks at most, and a token of the model's own besides", () => {
  expect(look(0).best).toEqual({ label: "animal", share: expect.closeTo(0.3, 6), position: 1, worth: expect.closeTo(0.3, 6) });
  expect([look(0).special, look(1).special]).toEqual(["[CLS]", ""]);
  expect([look(1).best?.label, look(1).best?.worth]).toEqual(["was", expect.closeTo(0.1, 6)]); // not itself, and it is beside
});

test("the mean over heads is a row as well", () => {
  expect(look("mean").best).toEqual({ label: "animal", share: expect.closeTo(0.2, 6), position: 1, worth: expect.closeTo(0.2, 6) });
});

test("the head that looks most at one other word comes first, and what is not here yet last", () => {
  const none = { tap, head: 5, cells: null, best: null, special: "" };
  expect(ranked([none, look(1), look(0)]).map(({ head }) => head)).toEqual([0, 1, 5]);
  expect(sunk(sayIn("en"), [look(0), look(1)])).toBe("mostly at [CLS]: 1 of 2 heads");
  expect(sunk(sayIn("en"), [look(1)])).toBe("");
});

test("a word of the text that a head looks at from everywhere is no sink, but the word that it looks at", () => {
  const lovely = { tokens: ["<s>", "What", "lovely", "</s>"], predicts: null, words: null, sentences: null, prompt: 4 };
  const everywhere = { heads: 1, height: 4, width: 4, values: Float32Array.from(Array(4).fill([0.02, 0.02, 0.94, 0.02]).flat()) };
  const found = lookOf({ ...tap, heads: 1 }, 0, everywhere, askedAt(lovely, 1, false) as Asked, split(lovely), true);
  expect([found.best?.label, found.special, sunk(sayIn("en"), [found])]).toEqual(["lovely", "", ""]);
});

test("of a long text the largest weights are in place", () => {
  const long = { ...tap, columns: 1000 };
  const looks = { looks: [{ position: 0, token: "[CLS]", weight: 0.5 }, { position: 990, token: "animal", weight: 0.25 }], rest: 0.25 };
  const found = lookOfLong(long, 1, looks, it_, "none", true);
  expect([found.best?.label, found.special, found.cells?.length, found.cells?.[190]]).toEqual(["animal", "[CLS]", 192, 0.25]);
});

test("between two texts a head that looks off the diagonal comes before one that looks along it", () => {
  const cross = { ...tap, rows: 2, columns: 4, queries: "target", keys: "source" };
  const keys = split({ tokens: ["a", "b", "c", "d"], predicts: null, words: null, sentences: null, prompt: 4 });
  const asked: Asked = { label: "x", deed: "write", rows: { first: 1, end: 2 } };
  // Of the second of two rows, the diagonal is between the last two of four columns.
  const maps = { heads: 2, height: 2, width: 4, values: Float32Array.from([0, 0, 0, 0, 0, 0, 0, 0.8, 0, 0, 0, 0, 0.7, 0, 0, 0]) };
  const looks = [0, 1].map((head) => lookOf(cross, head, maps, asked, keys, false));
  expect(looks.map(({ best }) => best?.worth)).toEqual([expect.closeTo(0.8 * 0.625, 6), expect.closeTo(0.7, 6)]);
  expect(ranked(looks).map(({ head }) => head)).toEqual([1, 0]);
});

test("without the first token, the shares are of the rest of the row", () => {
  const { best, special } = lookOf(tap, 0, maps, it_, split(axis), true, null, true);
  expect([best?.label, best?.share, special]).toEqual(["animal", expect.closeTo(0.75, 6), ""]);
});

test("what a head does over the text has a name, if one is well above chance", () => {
  const info = { head: 1, entropy: 1.204, distance: 2.13, pattern: "previous", patterns: [{ name: "previous", share: 0.87, chance: 0.08, rows: 9 }] };
  const plain = (given: object) => described(sayIn("en"), { ...info, ...given } as never).replaceAll("\u202f", " ");
  expect(plain({})).toBe("previous token: 87 % of the weight, 8.0 % by chance; entropy 1.20 bits, mean distance 2.1 tokens");
  expect(plain({ pattern: null, distance: null })).toBe("no simple pattern; entropy 1.20 bits");
});
