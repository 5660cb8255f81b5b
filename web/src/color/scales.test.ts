import { describe, expect, test } from "vitest";
import { RAMP_LENGTH } from "./ramps";
import { between, color, coloring, emptyExtent, fraction, placeOf, roundStep, ticks, valueAt, widen } from "./scales";

const RAMP = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => 1000 + i);
const SEEN = { low: 0.0001, high: 0.8 };

describe("the extent", () => {
  test("leaves out masked cells and infinities", () => {
    const extent = emptyExtent();
    widen(extent, Float32Array.of(0.75, 0.25, NaN, 0.5, 0.125, -Infinity));
    widen(extent, Float32Array.of(0.5, 0.25, NaN)); // nothing beyond
    expect(extent).toEqual({ low: 0.125, high: 0.75 });
  });
  test("of nothing still gives a scale", () => {
    expect(coloring("linear", "weight", false, emptyExtent(), 12)).toMatchObject({ low: 0, high: 1 });
    expect(coloring("linear", "score", false, emptyExtent(), 12)).toMatchObject({ low: -1, high: 1 });
  });
});

describe("scales", () => {
  test("linear weights are from 0 to 1, and norms from zero to the largest", () => {
    const by = coloring("linear", "weight", false, SEEN, 12);
    expect([0, 0.2, 0.8, 2].map((value) => fraction(by, value))).toEqual([0, 0.2, 0.8, 1]);
    expect(fraction(coloring("linear", "norm", false, SEEN, 12), 0.2)).toBe(0.25);
  });
  test("an automatic scale is what the cells in view ask for", () => {
    const automatic = { perRow: false, high: 0.4, root: 1, sinks: [] };
    expect(coloring("auto", "weight", false, SEEN, 12, automatic)).toEqual({ kind: "linear", low: 0, high: 0.4, diverging: false });
    const rows = coloring("auto", "weight", false, SEEN, 12, { ...automatic, perRow: true, high: 1, root: 2 });
    expect(fraction(rows, 0.01, 0, 0.04)).toBe(0.5);
    expect(coloring("auto", "weight", false, SEEN, 12)).toMatchObject({ kind: "linear", high: 0.8 });
    expect(coloring("auto", "score", false, { low: -3, high: 5 }, 12, automatic)).toMatchObject({ low: -3, high: 5 });
  });
  test("a log scale reaches below even attention, and zero is its lowest", () => {
    const by = coloring("log", "weight", false, SEEN, 16384);
    expect(by.low).toBeCloseTo(0.1 / 16384);
    expect(fraction(by, 0)).toBe(0);
    expect(fraction(by, Math.sqrt(by.low * by.high))).toBeCloseTo(0.5);
  });
  test("scores are never shown as logarithms of themselves", () => {
    const by = coloring("log", "score", false, { low: -3, high: 5 }, 12);
    expect(by).toEqual({ kind: "linear", low: -3, high: 5, diverging: false });
  });
  test("per row, the row's largest has the last color", () => {
    const by = coloring("row", "weight", false, SEEN, 12);
    expect(fraction(by, 0.03, 0, 0.03)).toBe(1);
    expect(fraction(by, 0.015, 0, 0.03)).toBeCloseTo(0.5);
    expect(fraction(by, 0, 0, 0)).toBe(0);
  });
  test("differences have zero in the middle", () => {
    const by = coloring("log", "weight", true, { low: -0.5, high: 0.25 }, 12);
    expect([by.low, by.high]).toEqual([-0.5, 0.5]);
    expect(fraction(by, 0)).toBe(0.5);
  });
  test("dragged ends take effect, and impossible ones do not", () => {
    const by = coloring("linear", "weight", false, SEEN, 12);
    expect(fraction(between(by, [0.1, 0.3]), 0.2)).toBeCloseTo(0.5);
    expect(between(by, [0.3, 0.1])).toBe(by);
    const log = coloring("log", "weight", false, SEEN, 12);
    expect(between(log, [0, 0.5])).toBe(log);
  });
});

describe("the legend", () => {
  test("a value and its place are each other's inverse", () => {
    for (const kind of ["linear", "log", "row", "root"] as const) {
      const by = { kind: kind === "root" ? ("linear" as const) : kind, low: 0.002, high: 0.7, diverging: false, ...(kind === "root" && { root: 3 }) };
      for (const place of [0, 0.3, 1]) expect(placeOf(by, valueAt(by, place))).toBeCloseTo(place);
    }
  });
  test("ticks are round and inside", () => {
    const linear = ticks({ kind: "linear", low: 0, high: 0.83, diverging: false });
    expect(linear.map(({ value }) => value)).toEqual([0, 0.2, 0.4, 0.6, 0.8]);
    expect(linear.at(-1)!.place).toBeCloseTo(0.8 / 0.83);
    const around = ticks({ kind: "linear", low: -0.5, high: 0.5, diverging: true });
    expect(around.map(({ value }) => value)).toEqual([-0.4, -0.2, 0, 0.2, 0.4]);
    const log = ticks({ kind: "log", low: 2e-6, high: 1, diverging: false });
    expect(log.map(({ value }) => value)).toEqual([1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1]);
  });
  test("ticks of a root stand apart", () => {
    const found = ticks({ kind: "row", low: 0, high: 1, diverging: false, root: 3 });
    expect(found.map(({ value }) => value)).toEqual([0, 0.005, 0.05, 0.2, 0.5, 1]);
    found.slice(1).forEach(({ place }, i) => expect(place - found[i]!.place).toBeGreaterThan(0.15));
  });
  test("a narrow log scale has no more ticks than asked for", () => {
    expect(ticks({ kind: "log", low: 1e-20, high: 1, diverging: false }, 6).length).toBeLessThanOrEqual(6);
  });
  test("round steps are 1, 2 or 5 times a power of ten", () => {
    expect([0.7, 1, 1.1, 3, 5.1, 230].map(roundStep)).toEqual([1, 1, 2, 5, 10, 500]);
  });
});

describe("coloring a tile", () => {
  test("goes from the first color to the last, and leaves masked cells clear", () => {
    const pixels = new Uint32Array(6);
    const by = { kind: "linear", low: 0, high: 1, diverging: false } as const;
    const masked = color(Float32Array.of(0, 1, 0.5, NaN, 7, -7), 3, pixels, by, RAMP);
    expect([...pixels]).toEqual([1000, 1255, 1128, 0, 1255, 1000]);
    expect(masked).toBe(true);
  });
  test("by a root, small values are seen", () => {
    const pixels = new Uint32Array(3);
    color(Float32Array.of(0, 0.25, 1), 3, pixels, { kind: "linear", low: 0, high: 1, diverging: false, root: 2 }, RAMP);
    expect([...pixels]).toEqual([1000, 1128, 1255]);
  });
  test("nothing masked, nothing to hatch", () => {
    const by = { kind: "log", low: 0.01, high: 1, diverging: false } as const;
    expect(color(Float32Array.of(0, 0.1), 2, new Uint32Array(2), by, RAMP)).toBe(false);
  });
  test("per row, each row has its own last color", () => {
    const values = Float32Array.of(0.02, 0.04, 0.4, 0.1);
    const rows = { low: Float32Array.of(0, 0), high: Float32Array.of(0.04, 0.4) };
    const pixels = new Uint32Array(4);
    color(values, 2, pixels, { kind: "row", low: 0, high: 1, diverging: false }, RAMP, rows);
    expect([...pixels]).toEqual([1128, 1255, 1255, 1064]);
  });
});
