import { expect, test } from "vitest";
import { DEFAULTS, deliberate, read, write } from "../url";
import type { Learning } from "./address";

const CHANGED: Learning = {
  lesson: "scale",
  text: "two & a half: words, at +1?",
  spotlight: 3,
  chosen: {
    score: "gaussian", head_dim: null, heads: 4, mask: "window", window: 3, temperature: 0.125, positions: true,
    projections: "random", swap: [1, -1], layer: 2, head: 3, step: 4, top_k: null, top_p: 0.9, moment: 7, struck: [1, 2],
  },
};

test("a lesson with everything changed comes back from its link as it was", () => {
  const address = { ...DEFAULTS, theme: "dark" as const, language: "hi" as const, learn: CHANGED, landing: false };
  expect(read(write(address))).toEqual(address);
});

test("a lesson as it begins has a short link, and a trace beside it is not in it", () => {
  const learn: Learning = { lesson: "words", text: null, spotlight: null, chosen: {} };
  const trace = { model: "en-de", text: "a dog", id: "" };
  expect(write({ ...DEFAULTS, trace, learn })).toBe("learn=words");
  expect(read("learn=words").learn).toEqual(learn);
});

test("an emptied sentence is not the sample", () => {
  expect(read("learn=words&sentence=").learn?.text).toBe("");
});

test("what a link cannot mean is passed over", () => {
  const { learn } = read("learn=masks&heads=3&mask=no&temperature=0&swap=1,x&word=-1&head_dim=all&window=9&struck=x&step=1,2&language=xx");
  expect(learn).toEqual({ lesson: "masks", text: null, spotlight: null, chosen: { head_dim: null } });
  expect(read("learn=nothing&view=sentence")).toMatchObject({ learn: null, view: "sentence" });
});

test("back undoes a lesson and a choice, not each letter or word pointed at", () => {
  const at = (change: Partial<Learning>) => ({ ...DEFAULTS, learn: { ...CHANGED, ...change } });
  expect(deliberate(at({}), at({ lesson: "heads" }))).toBe(true);
  expect(deliberate(at({}), at({ chosen: {} }))).toBe(true);
  expect(deliberate(at({}), at({ text: "another", spotlight: 0 }))).toBe(false);
  expect(deliberate(at({}), DEFAULTS)).toBe(true);
});
