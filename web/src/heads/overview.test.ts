import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { recordedSource } from "../../tests/recorded";
import { createState } from "../state";
import { overviewOf } from "./overview";

test("when the server is back, what failed is asked again", () => {
  const returns = signal(0);
  const way = { lost: signal(false), returns, retry: () => Promise.resolve() };
  const state = createState({ ...recordedSource(), connection: way });
  const before = overviewOf(state, "ab12");
  expect(overviewOf(state, "ab12")).toBe(before);
  returns.value += 1;
  expect(overviewOf(state, "ab12")).not.toBe(before);
});
