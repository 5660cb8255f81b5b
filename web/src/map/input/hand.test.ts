import { describe, expect, test } from "vitest";
import { wheelFactor } from "./hand";

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
