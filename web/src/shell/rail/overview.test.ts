import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { fakeSource } from "../../source/fake";
import { createState } from "../../state";
import { overviewOf, sorted } from "./overview";

test("heads are sorted over all layers; a distance that is not known comes last", () => {
  const summary = (tap: string, distances: (number | null)[]) => ({
    tap,
    rows: 1,
    of: 1,
    sink_key: 0,
    sink: 0,
    heads: distances.map((distance, head) => ({ head, entropy: 5 - head, distance, sink_key: 0, sink: 0, mostly_sink: false, patterns: [], pattern: null })),
  });
  const layers = [
    { tap: "a", layer: 0, summary: summary("a", [3, null]) },
    { tap: "b", layer: 1, summary: summary("b", [2, 4]) },
  ];
  const names = (order: "layer" | "distance" | "entropy") => sorted(layers, order).map(({ tap, head }) => tap + head);
  expect(names("distance")).toEqual(["b0", "a0", "b1", "a1"]);
  expect(names("entropy")).toEqual(["a1", "b1", "a0", "b0"]);
  expect(names("layer")).toEqual(["a0", "a1", "b0", "b1"]);
});

test("when the server is back, what failed is asked again", () => {
  const returns = signal(0);
  const way = { lost: signal(false), returns, retry: () => Promise.resolve() };
  const state = createState({ ...fakeSource(), connection: way });
  state.view.value = "heads"; // waits for no picture
  const before = overviewOf(state, "ab12");
  expect(overviewOf(state, "ab12")).toBe(before);
  returns.value += 1;
  expect(overviewOf(state, "ab12")).not.toBe(before);
});
