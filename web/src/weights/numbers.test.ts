import { expect, test } from "vitest";
import { full, inCell, short, tick } from "./numbers";

test("a cell's number has three digits and fits in eight characters", () => {
  expect([0.12345, 1, 0.00123456, -0.000123, -3.14159, 0, 12345].map(short)).toEqual([
    "0.123", "1.00", "0.00123", "−1.23e−4", "−3.14", "0", "1.23e4",
  ]);
  for (const value of [-0.00098765, 9.99e-38, 123.456, -9999.4]) expect(short(value).length).toBeLessThanOrEqual(8);
  expect(short(NaN)).toBe("");
});

test("a cell prints two digits of a weight, and nothing of less than one percent", () => {
  expect([0.3214, 1, 0.96, 0.0099, 3.21e-4, 0, -0.25].map((value) => inCell(value, "weight"))).toEqual([
    "0.32", "1.00", "0.96", "", "", "", "−0.25",
  ]);
  expect([-3.14159, 0, 43.94, 812.7, 12345].map((value) => inCell(value, "score"))).toEqual(["−3.14", "0.00", "43.9", "813", "1e4"]);
  for (const value of [-9994.6, 99.951, 9.996, 3e9, -Infinity]) expect(inCell(value, "score").length).toBeLessThanOrEqual(5);
});

test("the full number gives back the same 32 bits", () => {
  for (const value of [0.1, 1 / 3, 6.1035e-5, 1e-12, 123456.7, -2.5, 0]) {
    const single = Math.fround(value);
    expect(Math.fround(Number(full(single)))).toBe(single);
  }
  expect(full(Math.fround(0.1))).toBe("0.1");
  expect(full(0.5)).toBe("0.5");
  expect(full(-Infinity)).toBe("−∞");
});

test("ticks say no more digits than they have", () => {
  expect([0, 0.2, 0.30000000000000004, 1e-5, 20000, -0.4].map(tick)).toEqual(["0", "0.2", "0.3", "1e−5", "2e4", "−0.4"]);
});
