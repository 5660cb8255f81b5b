import { expect, test } from "vitest";
import type { Reliance } from "../source";
import type { Aligned } from "./aligned";
import { needLines, needsOf, pointsOf } from "./needed";

const unit = (first: number, end: number, label: string) => ({ first, end, label, title: label, special: label === "</s>" });
const source = [unit(0, 1, "My"), unit(1, 3, "sister"), unit(3, 4, "</s>")];
const output = [unit(1, 2, "Meine"), unit(2, 3, "Schwester"), unit(3, 4, "</s>")].map((word) => ({ ...word, rows: { first: word.first - 1, end: word.end - 1 } }));
const aligned = { source, output, trace: { axes: { target: { prompt: 1 } } }, tap: { queries: "target" } } as unknown as Aligned;
const relied = (...changes: number[][]) => [...changes.map((each, i): Reliance => ({ ...source[i]!, change: -1, changes: each })), null];
const map = (...rows: number[][]) => ({ values: Float32Array.from(rows.flat()), height: rows.length, width: 4 });
const maps = [map([0.9, 0.02, 0.04, 0.04], [0.05, 0.4, 0.5, 0.05], [0, 0, 0, 1]), map([0.9, 0.04, 0.02, 0.04], [0.05, 0.4, 0.5, 0.05], [0, 0, 0, 1])];

test("a word is needed where much is lost without it and little of all layers' weight is on it", () => {
  const found = needsOf(aligned, [0.95, 0.9, 0.9], relied([-0.9, -0.2, -0.9], [-0.5, -0.9, -0.9]), maps);
  expect(found.map(({ query, key, row, label }) => [query, key, row, label])).toEqual([[0, 1, 0, "sister"]]);
  expect([found[0]!.looked, found[0]!.change]).toEqual([expect.closeTo(0.06, 6), -0.5]);
});

test("neither an unlikely word needs any, nor one whose loss is small, nor one that looks", () => {
  expect(needsOf(aligned, [0.2, 0.9, 0.9], relied([0, 0, 0], [-0.5, 0, 0]), maps)).toEqual([]);
  expect(needsOf(aligned, [0.9, 0.9, 0.9], relied([0, 0, 0], [-0.3, 0, 0]), maps)).toEqual([]);
  const looking = maps.map(({ values, ...rest }) => ({ ...rest, values: values.map((weight) => weight * 2) }));
  expect(needsOf(aligned, [0.9, 0.9, 0.9], relied([0, 0, 0], [-0.5, 0, 0]), looking)).toEqual([]);
});

test("its line ends at the sides of the two words that face each other", () => {
  const [line] = needLines([{ query: 0, key: 1, row: 0, label: "sister", looked: 0.06, change: -0.5 }], [{ start: 0, end: 40 }, { start: 60, end: 120 }], [{ start: 0, end: 50 }]);
  expect([line!.from, line!.to]).toEqual([68, 42]);
  expect(pointsOf(-0.914)).toBe("−91");
});
