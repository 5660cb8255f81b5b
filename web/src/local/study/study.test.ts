/** Lessons and "why" against Python with the same weights: tests/fixtures/local.py made the numbers. */
import { expect, test } from "vitest";
import fixture from "../../../../tests/fixtures/local.json";
import { library } from "../../../tests/library";
import type { LessonRequest, NextRequest } from "../../source";
import type { ModelFile } from "../config";
import { fromBase64 } from "../base64";
import { Native } from "../native";
import { Writer } from "../writer";
import { inside, lessonOfEncoder, next } from "./inside";
import { principal } from "./plane";
import { WordTable } from "./table";
import { attribution, lens, measures, spearman } from "./why";
import { lessonOfWords } from "./words";

const STEP = 3; // WHY in the fixture
const TEXT = "the dog sees the old house.";
const engine = new Native(library);
const variants = Object.entries(fixture.variants);
const opened = (variant: (typeof variants)[number][1]) => {
  const translator = new Writer(variant.file as unknown as ModelFile, library);
  translator.fill(fromBase64(variant.weights));
  return translator;
};
const near = (found: unknown, expected: unknown, within: number) => {
  if (typeof expected === "number") expect(Math.abs((found as number) - expected)).toBeLessThanOrEqual(within * Math.max(1, Math.abs(expected)));
  else if (typeof expected === "object" && expected) {
    expect(Object.keys(found as object).length).toBe(Object.keys(expected).length);
    for (const [name, value] of Object.entries(expected)) near((found as Record<string, unknown>)[name], value, within);
  } else expect(found).toEqual(expected);
};

test.each(variants)("%s-norm: lens and measures are Python's", (_, variant) => {
  const translator = opened(variant);
  const { run } = translator.trace({ model: "untrained", text: TEXT, target: "ein haus sieht" });
  near(lens(translator, run, STEP), variant.why.lens, 3e-5);
  for (const axis of ["source", "target"] as const) {
    const { measures: expected, ...rest } = variant.why.measures[axis];
    const { measures: found, ...own } = measures(translator, run, STEP, axis);
    expect(own).toEqual(rest);
    expect(found.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
    for (const { name, values } of found) near(values, expected.find((each) => each.name === name)?.values, 3e-5);
  }
});

test("the terms of a logit are Python's and add up to it", () => {
  const { why, ...variant } = fixture.variants.pre;
  const translator = opened(variant as never);
  const { run } = translator.trace({ model: "untrained", text: TEXT, target: "ein haus sieht" });
  for (const [against, expected] of [[null, why.attribution], [why.id, why.against]] as const) {
    const found = attribution(translator, run, STEP, against);
    const kinds = (all: readonly { kind: string; tap: string | null; head: number | null }[]) => all.map(({ kind, tap, head }) => `${kind} ${tap} ${head}`).sort();
    expect(kinds(found.contributions)).toEqual(kinds(expected.contributions));
    for (const { value, ...term } of found.contributions) {
      const same = expected.contributions.find((each) => each.kind === term.kind && each.tap === term.tap && each.head === term.head && each.layer === term.layer);
      near(value, same?.value, 3e-5);
    }
    near(found.logit, expected.logit, 3e-5);
    near(found.contributions.reduce((sum, { value }) => sum + value, 0), found.logit, 1e-6);
  }
});

test("a post-norm model's terms are refused in a sentence", () => {
  const translator = opened(fixture.variants.post as never);
  const { run } = translator.trace({ model: "untrained", text: TEXT });
  expect(() => attribution(translator, run, 0, null)).toThrow("use `regard studio untrained`");
});

test.each(fixture.words.lessons.map((each, i) => [i, each] as const))("lesson %i on word vectors is Python's", (_, { asked, formula, steps, geometry }) => {
  const table = new WordTable(fixture.words.file);
  const found = lessonOfWords(engine, { text: fixture.words.text, spotlight: 2, ...asked } as LessonRequest, table);
  expect(found.explanation.settings.formula).toBe(formula);
  near(Object.fromEntries(found.explanation.steps.map(({ name, values }) => [name, values])), steps, 1e-9);
  near(found.geometry, geometry, 1e-9);
  expect(found.stand_ins).toEqual({ hous: "house" });
});

test("a word without a vector borrows that of the word that is spelled most like it", () => {
  const table = new WordTable(fixture.words.file);
  for (const [word, other] of fixture.words.nearest) expect([word, table.nearest(word as string)]).toEqual([word, other]);
});

test("a lesson without words, or with more than it has dimensions, is refused", () => {
  const table = new WordTable(fixture.words.file);
  expect(() => lessonOfWords(engine, { text: " ?! " }, table)).toThrow("the sentence has no word");
  expect(() => lessonOfWords(engine, { text: "the dog", heads: 4, head_dim: 2 }, table)).toThrow("heads · head_dim must be from 1 to 6, the dimensions of w; got 4 · 2.");
  expect(() => lessonOfWords(engine, { text: "dog ".repeat(65) }, table)).toThrow("at most 64 words; this text has 65");
});

test("a layer's parts add up, and its attention is what the trace has", () => {
  const translator = opened(fixture.variants.pre as never);
  const { parts, depths, tokens, token } = inside(translator, { text: TEXT, word: 2, layer: 0 });
  const of = Object.fromEntries(parts.map(({ name, vector }) => [name, vector])) as Record<string, number[]>;
  const sum = (one = "", other = "") => (of[one] ?? []).map((value, i) => value + (of[other]?.[i] ?? NaN));
  near(sum("x", "attention"), of["sum_1"], 1e-5);
  near(sum("sum_1", "feed_forward"), of["sum_2"], 1e-5);
  near([depths[0]?.unchanged, depths[0]?.cosines[token]], [1, 1], 1e-6);
  expect(depths.map(({ cosines }) => cosines.length)).toEqual([tokens.length, tokens.length]);
  const { explanation } = lessonOfEncoder(translator, { text: TEXT, layer: 0 });
  const [weights] = [explanation.steps.find(({ name }) => name === "weights")?.values[1] ?? []];
  near(weights.flat(), fixture.variants.pre.taps["encoder.layers.0.self"].weights, 1e-5);
  expect(() => inside(translator, { text: TEXT, word: 2, layer: 1 })).toThrow("There are layers 0 to 0; got 1.");
});

test("the next word's chances add up to 1, and top-k leaves as many", () => {
  const translator = opened(fixture.variants.pre as never);
  const asked: NextRequest = { text: TEXT, step: 1, temperature: 2, top_k: 5 };
  const { candidates, possible, rest, output } = next(translator, asked);
  expect(possible).toBe(5);
  near(candidates.reduce((sum, { chance }) => sum + chance, rest), 1, 1e-6);
  const { info } = translator.trace({ model: "untrained", text: TEXT });
  const step = info.generation?.steps[1];
  expect(output[1]).toBe(step?.token);
  near(candidates[0]?.probability, step?.candidates[0]?.probability, 1e-5);
});

test("directions are those of the longest spread, and ranks those of Spearman", () => {
  near(principal([[2, 0], [4, 0], [0, 1]], 1), [[1], [0]], 1e-12);
  near(principal([[0, 3, 4]], 2), [[0, 0], [0.6, 0], [0.8, 0]], 1e-12);
  expect(spearman([1, 2, 30], [5, 6, 7])).toBeCloseTo(1);
  expect(spearman([1, 1, 2], [3, 1, 2])).toBeCloseTo(0);
  expect([spearman([1, 2], [1, 2]), spearman([1, 1, 1], [1, 2, 3])]).toEqual([null, null]);
});
