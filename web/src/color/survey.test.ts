import { describe, expect, test } from "vitest";
import { steady, survey } from "./survey";

const LINEAR = { perRow: false, rooted: false, shares: true };
const piece = (rows: number[][], row = 0, column = 0) => ({ values: Float32Array.from(rows.flat()), width: rows[0]!.length, row, column });
const X = NaN;

describe("an automatic scale", () => {
  test("ends at the largest cell of a small map, within one percent", () => {
    const found = survey([piece([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])], LINEAR);
    expect(found).toMatchObject({ perRow: false, root: 1, sinks: [] });
    expect(found!.high).toBeCloseTo(0.8, 1);
    expect(found!.high).toBeGreaterThanOrEqual(Math.fround(0.8));
  });
  test("passes over a row with one allowed cell, whose weight is always 1", () => {
    const found = survey([piece([[1, X, X], [0.6, 0.4, X], [0.3, 0.3, 0.4]])], LINEAR);
    expect(found!.high).toBeLessThan(0.61);
  });
  test("passes over a sink, which it names with its part of the weight", () => {
    const rows = Array.from({ length: 12 }, (_, i) => [0.75, 0.05 + 0.01 * i, 0.2 - 0.01 * i]);
    const found = survey([piece(rows)], LINEAR)!;
    expect(found.sinks).toEqual([{ column: 0, mass: 0.75 }]);
    expect(found.high).toBeLessThan(0.21);
  });
  test("has no sink where a few rows look at one word, nor where no column takes 30 %", () => {
    expect(survey([piece([[0.9, 0.1], [0.9, 0.1]])], LINEAR)!.sinks).toEqual([]);
    const even = Array.from({ length: 20 }, () => [0.25, 0.25, 0.25, 0.25]);
    expect(survey([piece(even)], LINEAR)!.sinks).toEqual([]);
  });
  test("leaves half a percent of the cells at the last color", () => {
    const rows = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 0.01));
    for (let i = 0; i < 40; i++) rows[i]![i] = 0.25; // of 10,000
    expect(survey([piece(rows)], LINEAR)!.high).toBeCloseTo(0.01, 3);
  });
  test("per row knows each row's largest beside the sink, across tiles", () => {
    const left = Array.from({ length: 8 }, () => [0.75, 0.0625]);
    const right = Array.from({ length: 8 }, (_, i) => [i % 2 ? 0.125 : 0.03125]);
    const found = survey([piece(left, 256, 0), piece(right, 256, 2)], { perRow: true, rooted: true, shares: true })!;
    expect([found.firstRow, found.high, found.sinks.length]).toEqual([256, 1, 1]);
    expect([...found.rowHighs.slice(0, 2)]).toEqual([0.0625, 0.125]);
  });
  test("takes a root where most cells would be pale, and none where they would not", () => {
    const pale = Array.from({ length: 10 }, () => Array.from({ length: 100 }, (_, j) => (j ? 0.0005 : 0.25)));
    expect(survey([piece(pale)], { ...LINEAR, rooted: true })!.root).toBeGreaterThan(1);
    const even = Array.from({ length: 10 }, () => Array.from({ length: 100 }, (_, j) => 0.008 + j / 25000));
    expect(survey([piece(even)], { ...LINEAR, rooted: true })!.root).toBe(1);
  });
  test("needs an allowed cell", () => {
    expect(survey([], LINEAR)).toBeNull();
    expect(survey([piece([[X, X]])], LINEAR)).toBeNull();
  });
});

test("colors stay while the range hardly changes", () => {
  const old = { perRow: false, high: 0.5, root: 2, sinks: [] };
  expect(steady(old, { ...old, high: 0.48 })).toBe(old);
  expect(steady(old, { ...old, high: 0.6 }).high).toBe(0.6);
  expect(steady(old, { ...old, root: 1 }).root).toBe(1);
  expect(steady(old, { ...old, sinks: [{ column: 3, mass: 0.4 }] }).sinks.length).toBe(1);
});
