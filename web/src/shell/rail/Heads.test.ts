import { expect, test } from "vitest";
import { brief } from "./Heads";

test("numbers under a thumbnail have at most three characters", () => {
  expect([0.04, 9.94, 9.96, 312.4, 1600].map(brief)).toEqual(["0.0", "9.9", "10", "312", "2k"]);
});
