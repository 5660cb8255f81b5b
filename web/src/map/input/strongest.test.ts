import { describe, expect, test } from "vitest";
import type { Part } from "../paint/store";
import { strongest } from "./strongest";

describe("the strongest cell of a block", () => {
  const shape = { rows: 3000, columns: 2900 };
  const needle = { row: 2111, column: 1777 };
  /** One strong cell, everything else masked or weak. */
  const fetch = async ({ level, row, column, height, width }: Part) => {
    const values = new Float32Array(height * width).fill(0.01);
    const [y, x] = [Math.floor(needle.row / 2 ** level) - row, Math.floor(needle.column / 2 ** level) - column];
    if (y >= 0 && x >= 0 && y < height && x < width) values[y * width + x] = 0.9;
    return { values, height, width };
  };
  test.each([1, 4, 8, 11])("is found from level %i", async (level) => {
    expect(await strongest({ fetch, shape }, { row: 2110, column: 1776 }, level)).toEqual(needle);
  });
  test("is null where all is masked", async () => {
    const masked = async ({ height, width }: Part) => ({ values: new Float32Array(height * width).fill(NaN), height, width });
    expect(await strongest({ fetch: masked, shape }, { row: 5, column: 7 }, 3)).toBeNull();
  });
});
