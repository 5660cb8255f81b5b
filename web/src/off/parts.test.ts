import { expect, test } from "vitest";
import type { TraceInfo } from "../source";
import { sayIn } from "../words/words";
import { chipsOf, lookOf, nameOf, ordered, partOf, pullsOf, sameWords } from "./parts";

const CROSS = "decoder.layers.2.cross";
const axis = (tokens: string[], words: [number, number][]) => ({ tokens, words, predicts: null, sentences: null, prompt: 1 });
const trace = {
  axes: { source: axis(["▁the", "▁te", "a", "</s>"], [[0, 1], [1, 3]]), target: axis(["<s>", "▁der", "▁Tee"], [[1, 2], [2, 3]]) },
  taps: [{ name: CROSS, side: "decoder", kind: "cross", layer: 2, queries: "target", keys: "source" }],
} as unknown as TraceInfo;

test("names are positions, heads and edges, and nothing else is a name", () => {
  expect(partOf("10")).toEqual({ what: "token", axis: null, position: 10 });
  expect(partOf("target:7")).toEqual({ what: "token", axis: "target", position: 7 });
  expect(partOf(`${CROSS}:1`)).toEqual({ what: "head", tap: CROSS, head: 1 });
  expect(partOf(`${CROSS}:1:7:10`)).toEqual({ what: "edge", tap: CROSS, head: 1, query: 7, key: 10 });
  for (const wrong of ["", "x", "-1", "1.5", `${CROSS}:1:7`, `${CROSS}:x`, ":1"]) expect(partOf(wrong)).toBeNull();
});

test("an ablation has the name of what it switches off", () => {
  const request = { tap: CROSS, head: 1, query: 2, key: 1, step: null };
  expect((["edge", "head", "token"] as const).map((what) => nameOf({ ...request, what }, trace))).toEqual([`${CROSS}:1:2:1`, `${CROSS}:1`, "1"]);
});

test("equal sets of parts are one request", () => {
  expect(ordered([`${CROSS}:1`, "10", "2", "10"])).toEqual(["2", "10", `${CROSS}:1`]);
});

test("a word of several tokens is one chip; an edge says both its words", () => {
  const chips = chipsOf(sayIn("en"), ["0", "1", "2", "target:2", `${CROSS}:1`, `${CROSS}:0:1:1`, `${CROSS}:0:9:1`], trace);
  expect(chips.map((each) => each.label)).toEqual([
    "the", "tea", "Tee",
    "cross-attention, decoder layer 2, head 1",
    "der → te, cross-attention, decoder layer 2, head 0",
    "position 9 → te, cross-attention, decoder layer 2, head 0",
  ]);
  expect(chips[1]?.names).toEqual(["1", "2"]);
});

test("a look is named by its row and its key, and by where", () => {
  expect(lookOf("4:8")).toEqual({ tap: null, head: null, query: 4, key: 8 });
  expect(lookOf(`${CROSS}:4:8`)).toEqual({ tap: CROSS, head: null, query: 4, key: 8 });
  expect(lookOf(`${CROSS}:1:4:8`)).toEqual({ tap: CROSS, head: 1, query: 4, key: 8 });
  for (const wrong of ["", "4", "Tasse:tea", "4:", "1:2:3", "-1:2"]) expect(lookOf(wrong)).toBeNull();
});

test("the looks of one word at another are one chip, and say both", () => {
  const pulls = pullsOf(sayIn("en"), ["0:1", "0:2", "1:0", `${CROSS}:1:1:3`, "Tasse:tea"], trace);
  expect(pulls.map(({ label }) => label)).toEqual(["der → tea", "Tee → the", "Tee → </s>, cross-attention, decoder layer 2, head 1", "Tasse:tea"]);
  expect(pulls[0]?.names).toEqual(["0:1", "0:2"]);
  expect(pulls[0]?.title).toBe("“der” sees “tea” alone: in all heads and layers");
});

test("a struck word is found among another model's tokens, the second of two as the second; no head is", () => {
  const other = { source: axis(["[CLS]", "Tea", ",", "the", "t", "##ea", "the", "[SEP]"], [[1, 2], [3, 4], [4, 6], [6, 7]]) };
  const twice = { source: axis(["▁the", "▁the", "▁te", "a,", "▁milk"], [[0, 1], [1, 2], [2, 4], [4, 5]]) };
  expect([...sameWords(["1", "2", "3", "4", `${CROSS}:1`, "target:1"], twice, other)]).toEqual([["1", ["6"]], ["2", ["1"]], ["3", ["1"]]]);
  expect([...sameWords(["5"], other, trace.axes)]).toEqual([]);
  expect([...sameWords(["patches:1"], { patches: axis(["0,0", "0,1"], []) }, { patches: axis(["0,0", "0,1"], []) })]).toEqual([]);
});
