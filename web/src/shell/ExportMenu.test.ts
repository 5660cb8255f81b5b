import { expect, test } from "vitest";
import { lines } from "./ExportMenu";

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
