import { describe, expect, test } from "vitest";
import { Edges, emptyBand, fits, widenBand } from "./tiles";

test("a band of tiles knows the largest value of each row, and counts weights from zero", () => {
  const band = emptyBand(2);
  widenBand(band, { values: Float32Array.of(0.02, 0.04, 0.4, NaN), width: 2 });
  widenBand(band, { values: Float32Array.of(0.03, NaN, 0.1, 0.5), width: 2 });
  expect([...band.high]).toEqual([Math.fround(0.04), 0.5]);
  expect([...band.low]).toEqual([0, 0]);
});

test("a number is printed where all of it is seen", () => {
  expect([10, 11, 50, 90].map((middle) => fits(middle, 10, 0, 100))).toEqual([true, true, true, true]);
  expect([9, 91, -20].map((middle) => fits(middle, 10, 0, 100))).toEqual([false, false, false]);
});

describe("edges", () => {
  const layout = { left: 90, top: 40, width: 500, height: 300 };
  test("neighboring cells share one, on whole pixels", () => {
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
