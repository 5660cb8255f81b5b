import { expect, test } from "vitest";
import recorded from "../recorded.json";
import { curveOf, lossAt } from "./Training";

test("a step has the loss of the mean that it is in, the first step the first", () => {
  expect([0, 1, 10, 11, 30, 99].map((step) => lossAt([3, 2, 1], 10, step))).toEqual([3, 3, 3, 2, 1, 1]);
});

test("the curve begins above and ends within its frame", () => {
  const { x, y, path, ticks } = curveOf([3.5, 1, 0], 10, 300, 200);
  expect(ticks).toEqual([0, 1, 2, 3, 4]);
  expect(path.startsWith(`M${x(10).toFixed(1)} ${y(3.5).toFixed(1)}L`)).toBe(true);
  expect(y(3.5)).toBeLessThan(y(0));
  expect(x(30)).toBe(300 - 14);
});

test("the recorded model does not know the answer at first, and in the end looks at one letter for each", () => {
  const [first, last] = [recorded.moments[0]!, recorded.moments.at(-1)!];
  const answer = [...recorded.word].reverse().join("");
  expect(first.written).not.toBe(answer);
  expect(last.written).toBe(answer);
  expect(recorded.losses[0]).toBeGreaterThan(10 * recorded.losses.at(-1)!);
  expect(last.step).toBe(recorded.losses.length * recorded.every);
});
