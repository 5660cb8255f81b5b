import { describe, expect, test } from "vitest";
import { differenceOf, subtract } from "./difference";
import { wheelFactor } from "./pointer";
import { positions } from "./positions";
import { sinkOf } from "./sink";
import { strongest } from "./strongest";
import type { Part } from "./tiles";

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
  test("is none where all is masked", async () => {
    const masked = async ({ height, width }: Part) => ({ values: new Float32Array(height * width).fill(NaN), height, width });
    expect(await strongest({ fetch: masked, shape }, { row: 5, column: 7 }, 3)).toBeNull();
  });
});

describe("a difference", () => {
  const tile = (...values: number[]) => ({ values: Float32Array.from(values), height: 1, width: values.length });
  test("is first minus second, masked where either is", () => {
    expect([...subtract(tile(0.75, 0.25, NaN), tile(0.5, 0.5, 0.1)).values]).toEqual([0.25, -0.25, NaN]);
  });
  test("of two shapes is refused in a sentence", () => {
    expect(() => subtract(tile(1, 2), tile(1))).toThrow("A difference needs two maps of one shape; these tiles are 1 × 2 and 1 × 1.");
  });
  test("asks each side for its own layer and head", async () => {
    const asked: unknown[] = [];
    const source = { tile: async (id: string, { tap, head }: { tap: string; head: number }) => (asked.push([id, tap, head]), tile(1)) };
    const side = (id: string, name: string, head: number) => ({ trace: { id }, tap: { name }, head }) as never;
    await differenceOf(source as never, side("a", "x", 1), side("b", "y", 2)).tile({ tap: "?", head: 0 } as never, new AbortController().signal);
    expect(asked).toEqual([["a", "x", 1], ["b", "y", 2]]);
  });
});

describe("the sink", () => {
  const heads = [{ head: 0, sink: 0.6 }, { head: 1, sink: 0.2 }];
  const summary = { sink_key: 2, rows: 64, of: 900, heads } as never;
  const axis = { tokens: ["a", "b", "c"], predicts: null, words: [[0, 1], [1, 3]] as [number, number][], sentences: null, prompt: 0 };
  test("takes its head's mass, or the mean over heads", () => {
    const keys = positions(axis, "text", 3, "token");
    expect(sinkOf(summary, 1, keys)).toEqual({ position: 2, label: "c", mass: 0.2, rows: 64, of: 900 });
    expect(sinkOf(summary, "mean", keys).mass).toBeCloseTo(0.4);
  });
  test("is found in its group", () => {
    expect(sinkOf(summary, 0, positions(axis, "text", 3, "word")).position).toBe(1);
  });
});

describe("the wheel", () => {
  test("up zooms in, down zooms out by as much", () => {
    const up = wheelFactor({ deltaY: -100, deltaMode: 0, ctrlKey: false });
    expect(up).toBeGreaterThan(1);
    expect(up * wheelFactor({ deltaY: 100, deltaMode: 0, ctrlKey: false })).toBeCloseTo(1);
  });
  test("lines count as sixteen pixels, and a leap is bounded", () => {
    expect(wheelFactor({ deltaY: 3, deltaMode: 1, ctrlKey: false })).toBe(wheelFactor({ deltaY: 48, deltaMode: 0, ctrlKey: false }));
    expect(wheelFactor({ deltaY: -1e6, deltaMode: 0, ctrlKey: false })).toBeLessThan(2);
  });
});
