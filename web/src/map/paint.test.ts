import { describe, expect, test } from "vitest";
import { RAMP_LENGTH } from "../colour";
import { colour, Edges, emptyBand, widenBand } from "./paint";

const RAMP = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => 1000 + i);

describe("colouring a tile", () => {
  test("goes from the first colour to the last, and leaves masked cells clear", () => {
    const pixels = new Uint32Array(6);
    const by = { kind: "linear", low: 0, high: 1, diverging: false } as const;
    const masked = colour(Float32Array.of(0, 1, 0.5, NaN, 7, -7), 3, pixels, by, RAMP);
    expect([...pixels]).toEqual([1000, 1255, 1128, 0, 1255, 1000]);
    expect(masked).toBe(true);
  });
  test("nothing masked, nothing to hatch", () => {
    const by = { kind: "log", low: 0.01, high: 1, diverging: false } as const;
    expect(colour(Float32Array.of(0, 0.1), 2, new Uint32Array(2), by, RAMP)).toBe(false);
  });
  test("per row, each row has its own last colour", () => {
    const values = Float32Array.of(0.02, 0.04, 0.4, 0.1);
    const rows = emptyBand(2);
    widenBand(rows, { values, width: 2 });
    const pixels = new Uint32Array(4);
    colour(values, 2, pixels, { kind: "row", low: 0, high: 1, diverging: false }, RAMP, rows);
    expect([...pixels]).toEqual([1128, 1255, 1255, 1064]);
  });
});

describe("edges", () => {
  const layout = { left: 90, top: 40, width: 500, height: 300 };
  test("neighbouring cells share one, on whole pixels", () => {
    const edges = new Edges({ row: 3.3, column: 7.77, cell: 0.37 }, layout, 1.5);
    for (let i = 0; i < 900; i += 13) {
      expect(Number.isInteger(edges.x(i))).toBe(true);
      expect(edges.y(i + 1)).toBeGreaterThanOrEqual(edges.y(i));
    }
  });
  test("panning moves all of them by the same number of pixels", () => {
    const [before, after] = [10, 10.31].map((column) => new Edges({ row: 0, column, cell: 11.3 }, layout, 1));
    const moves = Array.from({ length: 60 }, (_, i) => before!.x(i) - after!.x(i));
    expect(new Set(moves).size).toBe(1);
    expect(moves[0]).toBeGreaterThan(0);
  });
});
