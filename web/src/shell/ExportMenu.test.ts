import { expect, test } from "vitest";
import { labelOf, lines } from "./ExportMenu";

const tap = (name: string, kind: string, layer: number) => ({ name, kind, layer, side: "decoder", quantities: ["weight", "norm", "score"] });
const trace = { taps: [tap("a", "self", 0), tap("b", "cross", 0), tap("c", "cross", 1)] } as never;
const signals = (state: Record<string, unknown>) => Object.fromEntries(Object.entries(state).map(([name, value]) => [name, { value }])) as never;
const STATE = { tap: tap("b", "cross", 0), head: 1, heads: [], quantity: "weight", locked: [], aligned: "output", pieces: "word", step: null };

test("what is exported is the view on screen: lines of the flow with its heads and locked rows", () => {
  expect(lines(signals({ ...STATE, view: "flow" }), trace)).toEqual({ view: "flow", quantity: "weight", heads: "1" });
  const several = lines(signals({ ...STATE, view: "flow", heads: [2, null, "mean"], locked: [3, 5] }), trace);
  expect(several).toMatchObject({ heads: "2,mean", focus: "3,5" });
});

test("of the translation, the cross-attention by its units and its step", () => {
  const asked = lines(signals({ ...STATE, view: "translation", tap: tap("a", "self", 1), pieces: "token" }), trace);
  expect(asked).toEqual({ view: "translation", quantity: "weight", tap: "c", group: "token", at_output: "true" });
  expect(lines(signals({ ...STATE, view: "map" }), trace)).toEqual({});
});

test("of the generation, the step that is chosen, else the least certain one", () => {
  const steps = [0.9, 0.2, 0.7].map((probability) => ({ token: "x", probability, candidates: [] }));
  const written = { ...(trace as object), generation: { steps } } as never;
  expect(lines(signals({ ...STATE, view: "generation" }), written)).toEqual({ view: "generation", quantity: "weight", tap: "b", step: "1" });
  expect(lines(signals({ ...STATE, view: "generation", step: 2 }), written)).toMatchObject({ step: "2" });
});

test("of all heads, their order, their pattern and their shades", () => {
  const asked = lines(signals({ ...STATE, view: "heads", order: "entropy", pattern: "previous", shade: "one" }), trace);
  expect(asked).toEqual({ view: "heads", order: "entropy", pattern: "previous", shade: "one" });
});

const map = (rows: number, columns: number) => ({ ...tap("b", "cross", 0), heads: 4, rows, columns, queries: "target", keys: "source" });
const traced = (id: string, rows: number, columns: number) => {
  const axis = (count: number) => ({ tokens: Array.from({ length: count }, () => "x"), words: null, sentences: null });
  return { id, taps: [map(rows, columns)], axes: { target: axis(rows), source: axis(columns) } };
};
const comparing = (second: ReturnType<typeof traced>, more: Record<string, unknown> = {}) => {
  const other = { trace: second, tap: "b", head: "mean" };
  const first = traced("1", 5, 7);
  const state = { ...STATE, tap: first.taps[0], view: "compare", other, difference: false, scale: "auto", group: "token", otherViewport: null, ...more };
  return lines(signals(state), first as never);
};

test("of a comparison, the second head and one scale where the page has one", () => {
  const own = { view: "compare", other_tap: "b", other_head: "mean" };
  expect(comparing(traced("1", 5, 7))).toEqual({ ...own, one_scale: "true" });
  expect(comparing(traced("1", 5, 7), { scale: "log" })).toEqual({ ...own, one_scale: "false" });
  expect(comparing(traced("2", 5, 7), { difference: true })).toEqual({ ...own, other_trace: "2", difference: "true" });
});

test("of maps of two shapes, each part, and no difference", () => {
  const asked = comparing(traced("2", 3, 11), { difference: true });
  expect(asked).toMatchObject({ other_trace: "2", other_row: "0", other_column: "0", other_height: "3", other_width: "11", one_scale: "true" });
  expect(asked).not.toHaveProperty("difference");
});

test("the menu says where a figure or the numbers are those of the map", () => {
  expect(labelOf("svg", "compare")).toBe("figure, SVG");
  expect(labelOf("svg", "why")).toBe("figure of the map, SVG");
  expect((["map", "heads", "compare"] as const).map((view) => labelOf("npz", view))).toEqual([
    "these numbers, NPZ", "numbers of the map, NPZ", "numbers of the first map, NPZ",
  ]);
});
