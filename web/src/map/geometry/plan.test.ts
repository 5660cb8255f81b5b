import { describe, expect, test } from "vitest";
import { passes, plan } from "./plan";

const SHAPE = { rows: 16384, columns: 16384 };
const range = (level: number, firstRow: number, lastRow: number, firstColumn: number, lastColumn: number) => ({
  level, firstRow, lastRow, firstColumn, lastColumn,
});
const none = () => Infinity;
const had = () => false; // nothing was refused

describe("passes over a tile", () => {
  test("small tiles are exact at once, large ones in eightfold steps", () => {
    expect(passes(0, false)).toEqual([1]);
    expect(passes(2, false)).toEqual([1]);
    expect(passes(5, false)).toEqual([32, 1]);
    expect(passes(9, false)).toEqual([512, 64, 8, 1]);
  });
  test("a first pass looks at one row of each block", () => {
    for (let level = 3; level < 12; level++) expect(passes(level, false)[0]).toBe(2 ** level);
  });
  test("groups have no preview", () => expect(passes(7, true)).toEqual([1]));
});

test("the overview comes first, since the colors need its extremes", () => {
  expect(plan(range(0, 3, 4, 3, 4), SHAPE, false, none, had)[0]).toEqual({ level: 6, row: 0, column: 0, every: 64 });
});

test("nothing is asked for beside the first picture of a long map", () => {
  expect(plan(range(5, 0, 1, 0, 1), SHAPE, false, none, had)).toHaveLength(1);
});

test("every visible tile has a picture before any is refined", () => {
  const loaded = (level: number, row: number, column: number) => (level === 5 && row === 0 && column === 0 ? 32 : level === 6 ? 1 : Infinity);
  const wants = plan(range(5, 0, 1, 0, 1), SHAPE, false, loaded, had);
  expect(wants.map(({ every }) => every)).toEqual([32, 32, 32, 1]);
  expect(wants.at(-1)).toEqual({ level: 5, row: 0, column: 0, every: 1 });
});

test("the middle of the window comes before its edges, and neighbors after", () => {
  const wants = plan(range(0, 10, 12, 10, 12), SHAPE, false, (level) => (level === 6 ? 1 : Infinity), had);
  expect(wants[0]).toMatchObject({ row: 11, column: 11 });
  expect(wants.length).toBe(25);
  expect(wants.slice(0, 9).every(({ row, column }) => row >= 10 && row <= 12 && column >= 10 && column <= 12)).toBe(true);
});

test("neighbors beyond the map are not asked for", () => {
  const wants = plan(range(0, 0, 0, 0, 0), { rows: 300, columns: 200 }, false, none, had);
  expect(wants).toEqual([
    { level: 1, row: 0, column: 0, every: 1 },
    { level: 0, row: 0, column: 0, every: 1 },
    { level: 0, row: 1, column: 0, every: 1 },
  ]);
});

test("once everything is exact nothing is wanted", () => {
  expect(plan(range(5, 0, 1, 0, 1), SHAPE, false, () => 1, had)).toEqual([]);
});

test("where a tile cannot be had, the finest coarser one is asked for", () => {
  const refused = (level: number) => level < 3;
  const loaded = (level: number) => (level === 6 ? 1 : Infinity);
  expect(plan(range(0, 20, 20, 30, 31), SHAPE, false, loaded, refused)).toEqual([{ level: 3, row: 2, column: 3, every: 8 }]);
  expect(plan(range(0, 20, 20, 30, 31), SHAPE, false, (level) => (level >= 3 ? 1 : Infinity), refused)).toEqual([]);
});
