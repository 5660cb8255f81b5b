import { expect, test } from "vitest";
import { brief, exact, saying } from "./said";

test("numbers have a true minus and no negative zero", () => {
  expect([1.005, -0.314, -0.001, 0, null].map(brief)).toEqual(["1.00", "−0.31", "0.00", "0.00", "−∞"]);
  expect([0.123456789, -2, 1e-15, 3.2e-9].map(exact)).toEqual(["0.123457", "−2.00000", "0", "3.20000e−9"]);
});

test("what is pointed at is said with its full number", () => {
  expect(saying("a → b: weight", 1 / 3)).toEqual({ "data-says": "a → b: weight: 0.333333", "data-value": "0.3333333333333333" });
  expect(saying("a → b: score", null)["data-value"]).toBe("-Infinity");
});
