import { expect, test } from "vitest";
import { sayIn } from "../words/words";
import { labelOf, titleOf } from "./ExportMenu";

const signals = (state: Record<string, unknown>) => Object.fromEntries(Object.entries(state).map(([name, value]) => [name, { value }])) as never;

test("the menu says where the numbers are those of the map, and where pictures are of the drawer", () => {
  const [say, seen] = [sayIn("en"), (view: string, other: unknown) => signals({ view, other })];
  expect(labelOf("svg", seen("map", null), say)).toBe("picture, SVG");
  expect(labelOf("drawer.png", seen("map", null), say)).toBe("picture of the drawer, PNG");
  expect([seen("map", null), seen("sentence", null), seen("map", {})].map((state) => labelOf("npz", state, say))).toEqual([
    "these numbers, NPZ", "numbers of the map, NPZ", "numbers of the first map, NPZ",
  ]);
});

test("a picture is named by its model and text, and by its map where the picture does not say it", () => {
  const trace = { model: "models/en-de", text: "A dog\nruns. " };
  const state = { tap: { name: "decoder.layers.1.cross" }, head: "mean" };
  expect(titleOf(sayIn("en"), signals({ ...state, view: "map" }), trace)).toBe("en-de · decoder.layers.1.cross, mean over heads: A dog runs.");
  expect(titleOf(sayIn("en"), signals({ ...state, view: "sentence" }), trace)).toBe("en-de · A dog runs.");
});
