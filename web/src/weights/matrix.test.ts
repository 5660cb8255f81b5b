import { expect, it } from "vitest";
import type { Source, TapInfo, TileRequest } from "../source";
import { fetchRows, grouped } from "./matrix";

const map = { values: Float32Array.of(0.5, 0.25, 0.25, 0.1, 0.6, 0.3, NaN, NaN, 1, 0.2, 0.2, NaN), height: 4, width: 3 };

it("sums a unit's columns and averages its rows", () => {
  const words = grouped(map, [{ first: 0, end: 2 }, { first: 2, end: 4 }], [{ first: 0, end: 2 }, { first: 2, end: 3 }]);
  // by hand: (0.75 + 0.7) / 2, (0.25 + 0.3) / 2; the second row: (0 + 0.4) / 2, (1 + 0) / 2
  [0.725, 0.275, 0.2, 0.5].forEach((value, i) => expect(words.values[i]).toBeCloseTo(value, 6));
});

it("is NaN only where the mask forbids all of a block, or where there is no row", () => {
  const words = grouped(map, [{ first: 2, end: 3 }, { first: 4, end: 4 }], [{ first: 0, end: 2 }, { first: 2, end: 3 }]);
  expect([...words.values].map(Number.isNaN)).toEqual([true, false, true, true]);
});

it("joins the tiles of a map that is wider and higher than one", async () => {
  const asked: TileRequest[] = [];
  const tile = async (_: string, request: TileRequest) => {
    asked.push(request);
    const values = Float32Array.from({ length: request.height * request.width }, (_, at) =>
      (request.row + Math.floor(at / request.width)) * 10_000 + request.column + (at % request.width));
    return { values, height: request.height, width: request.width };
  };
  const tap = { name: "t", rows: 5000, columns: 2500 } as TapInfo;
  const { values, height, width } = await fetchRows({ tile } as unknown as Source, "id", tap, 0, "weight", { first: 7, end: 1100 });
  expect([height, width]).toEqual([1093, 2500]);
  expect(asked.every((each) => each.width <= 1024 && each.height <= 1024)).toBe(true);
  for (const [row, column] of [[0, 0], [0, 2499], [1023, 1024], [1024, 1023], [1092, 2048]] as const)
    expect(values[row * width + column]).toBe((row + 7) * 10_000 + column);
});
