import { expect, test } from "vitest";
import { fieldsOf, requested, written } from "./Options";

const TRANSLATES = { num_beams: 5, temperature: 1, top_k: 50, top_p: 1, seed: 0 };
const names = (own: Record<string, number>, chosen = {}) => fieldsOf(own, chosen).map((each) => each.name);

test("a model has the fields of the options that it takes", () => {
  expect(names(TRANSLATES)).toEqual(["num_beams", "temperature", "top_k", "top_p", "seed"]);
  expect(names({ ...TRANSLATES, generate: 20 })).toContain("generate");
  expect(names({})).toEqual([]);
});

test("what can change nothing is absent: beams where tokens are drawn, draws where a search has beams", () => {
  expect(names(TRANSLATES, { seed: "1" })).toEqual(["temperature", "top_k", "top_p", "seed"]);
  expect(names(TRANSLATES, { num_beams: "3" })).toEqual(["num_beams"]);
  expect(names(TRANSLATES, { num_beams: "1" })).toHaveLength(5);
  expect(names(TRANSLATES, { target: "Ein Hund." })).toEqual([]);
});

test("what is empty, or no number, is left to the model", () => {
  const chosen = { num_beams: " ", seed: "x", generate: "0", temperature: "0.5" };
  expect(requested(chosen, fieldsOf({ ...TRANSLATES, generate: 20 }, chosen), true)).toEqual({ generate: 0, temperature: 0.5 });
  expect(requested({ generate: "3", num_beams: "2" }, fieldsOf(TRANSLATES, {}), true)).toEqual({ num_beams: 2 });
});

test("a target leaves nothing to search for", () => {
  const chosen = { target: " Ein Hund. ", seed: "1" };
  expect(requested(chosen, fieldsOf(TRANSLATES, chosen), true)).toEqual({ target: "Ein Hund." });
  expect(requested({ target: "Ein Hund." }, [], false)).toEqual({});
});

test("the fields show what was asked for", () => {
  expect(written({ model: "m", text: "t", num_beams: 3, seed: 0, target: null })).toEqual({ num_beams: "3", seed: "0" });
});
