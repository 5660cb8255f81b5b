import { expect, test } from "vitest";
import { stopOf, walked } from "./walk";

// 0 1 2
// 3 4
//   5
const PLACES = [[0, 0], [80, 0], [160, 0], [0, 100], [80, 101], [80, 200]].map(([x, y]) => ({ x: x as number, y: y as number }));

test("left and right go through all, and stop at the ends", () => {
  expect(walked(PLACES, 2, "ArrowRight")).toBe(3);
  expect(walked(PLACES, 3, "ArrowLeft")).toBe(2);
  expect(walked(PLACES, 0, "ArrowLeft")).toBeNull();
  expect(walked(PLACES, 5, "ArrowRight")).toBeNull();
});

test("up and down go to the nearest of the next row on the screen", () => {
  expect(walked(PLACES, 1, "ArrowDown")).toBe(4);
  expect(walked(PLACES, 2, "ArrowDown")).toBe(4);
  expect(walked(PLACES, 3, "ArrowDown")).toBe(5);
  expect(walked(PLACES, 5, "ArrowUp")).toBe(4);
  expect(walked(PLACES, 0, "ArrowUp")).toBeNull();
  expect(walked(PLACES, 5, "ArrowDown")).toBeNull();
});

test("home and end, and other keys", () => {
  expect(walked(PLACES, 4, "Home")).toBe(0);
  expect(walked(PLACES, 4, "End")).toBe(5);
  expect(walked(PLACES, 4, "x")).toBeNull();
  expect(walked([], 0, "Home")).toBeNull();
});

test("the tab key stops where the arrows have led, else at the current one, else at the first, of those that are there", () => {
  expect(stopOf(["a", "b", "c"], "c", "b")).toBe("c");
  expect(stopOf(["a", "b"], "c", "b")).toBe("b");
  expect(stopOf(["a"], "c", "b")).toBe("a");
  expect(stopOf([], "c", "b")).toBe("");
});
