import { expect, test } from "vitest";
import type { TapInfo } from "../source";
import { nextHead } from "./commands";

test("after the last head comes their mean, then the first", () => {
  const tap = { heads: 3 } as TapInfo;
  expect([0, 2, "mean" as const].map((head) => nextHead(tap, head, 1))).toEqual([1, "mean", 0]);
  expect([0, "mean" as const].map((head) => nextHead(tap, head, -1))).toEqual(["mean", 2]);
});
