import { expect, test } from "vitest";
import { sayIn } from "../words/words";
import { labelOf, titleOf } from "./ExportMenu";

const signals = (state: Record<string, unknown>) => Object.fromEntries(Object.entries(state).map(([name, value]) => [name, { value }])) as never;

test("the menu says where the numbers are those of the map", () => {
  expect(labelOf("svg", "why", sayIn("en"))).toBe("picture, SVG");
  expect((["map", "heads", "compare"] as const).map((view) => labelOf("npz", view, sayIn("en")))).toEqual([
    "these numbers, NPZ", "numbers of the map, NPZ", "numbers of the first map, NPZ",
  ]);
});

test("a picture is named by its model and text, and by its map where the view does not say it", () => {
  const trace = { model: "models/en-de", text: "A dog\nruns. " };
  const state = { tap: { name: "decoder.layers.1.cross" }, head: "mean" };
  expect(titleOf(signals({ ...state, view: "map" }), trace)).toBe("en-de · decoder.layers.1.cross, mean over heads: A dog runs.");
  expect(titleOf(signals({ ...state, view: "heads" }), trace)).toBe("en-de · A dog runs.");
});
