import { describe, expect, test } from "vitest";
import { differenceOf, subtract } from "../compare/panes";

describe("a difference", () => {
  const tile = (...values: number[]) => ({ values: Float32Array.from(values), height: 1, width: values.length });
  test("is first minus second, masked where either is", () => {
    expect([...subtract(tile(0.75, 0.25, NaN), tile(0.5, 0.5, 0.1)).values]).toEqual([0.25, -0.25, NaN]);
  });
  test("of two shapes is refused in a sentence", () => {
    expect(() => subtract(tile(1, 2), tile(1))).toThrow("A difference needs two maps of the same shape; these tiles are 1 × 2 and 1 × 1.");
  });
  test("asks each side for its own layer and head", async () => {
    const asked: unknown[] = [];
    const source = { tile: async (id: string, { tap, head }: { tap: string; head: number }) => (asked.push([id, tap, head]), tile(1)) };
    const side = (id: string, name: string, head: number) => ({ trace: { id }, tap: { name }, head }) as never;
    await differenceOf(source as never, side("a", "x", 1), side("b", "y", 2)).tile({ tap: "?", head: 0 } as never, new AbortController().signal);
    expect(asked).toEqual([["a", "x", 1], ["b", "y", 2]]);
  });
});
