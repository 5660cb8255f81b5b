import { describe, expect, it } from "vitest";
import { covered, joinTokens, markOf, tokenLabel, unitAt, units } from "./units";

const axis = {
  tokens: ["<s>", "▁Der", "▁Hund", "chen", "▁läuft", ".", "</s>"],
  predicts: null,
  words: [[1, 2], [2, 4], [4, 5]] as [number, number][],
  sentences: null,
  prompt: 1,
};

describe("units", () => {
  it("are words, and what no word covers stands alone", () => {
    const labels = units(axis, "word").map((unit) => unit.label);
    expect(labels).toEqual(["<s>", "Der", "Hundchen", "läuft", ".", "</s>"]);
    expect(units(axis, "word")[2]).toMatchObject({ first: 2, end: 4, title: "▁Hund chen", special: false });
  });
  it("are tokens where the axis knows no such group", () => {
    expect(units(axis, "sentence")).toHaveLength(7);
  });
  it("mark what continues a word, but not punctuation", () => {
    const labels = units(axis, "token").map((unit) => unit.label);
    expect(labels).toEqual(["<s>", "Der", "Hund", "-chen", "läuft", ".", "</s>"]);
    expect(units(axis, "token")[6]!.special).toBe(true);
  });
});

it("the first token of a text continues no word", () => {
  const bytes = { ...axis, tokens: ["The", "Ġdog", "gy"], words: null };
  expect(units(bytes, "token").map((unit) => unit.label)).toEqual(["The", "dog", "-gy"]);
});

describe("covered", () => {
  it("covers every position once, even when spans overlap or reach beyond the end", () => {
    const spans = covered([[1, 3], [2, 4], [6, 11]], 8);
    expect(spans).toEqual([
      { first: 0, end: 1 }, { first: 1, end: 3 }, { first: 3, end: 4 },
      { first: 4, end: 5 }, { first: 5, end: 6 }, { first: 6, end: 8 },
    ]);
  });
  it("drops spans that lie beyond the end, and empty ones", () => {
    expect(covered([[0, 0], [1, 2], [5, 7]], 3)).toEqual([{ first: 0, end: 1 }, { first: 1, end: 2 }, { first: 2, end: 3 }]);
  });
});

describe("unitAt", () => {
  it("finds the unit of each position and none outside", () => {
    const spans = [{ first: 0, end: 1 }, { first: 1, end: 4 }, { first: 4, end: 6 }];
    expect([-1, 0, 1, 3, 4, 5, 6].map((position) => unitAt(spans, position))).toEqual([-1, 0, 1, 1, 2, 2, -1]);
  });
});

describe("tokens to read", () => {
  it("tell the tokenizers' marks apart", () => {
    expect(markOf(["the", "##re"])).toBe("hash");
    expect(markOf(["the", "re"])).toBe("none");
    const letters = [..."To be"];
    expect(markOf(letters)).toBe("letters");
    expect(letters.map((letter) => tokenLabel(letter, "letters")).join(" ")).toBe("T o ␣ b e");
    expect(joinTokens([...letters, "</s>"])).toBe("To be </s>");
    expect(tokenLabel("##re", "hash")).toBe("-re");
    expect(tokenLabel("Ġdog", "start")).toBe("dog");
    expect(tokenLabel("▁", "start")).toBe("␣");
    expect(tokenLabel("Ċ", "start")).toBe("⏎");
    expect(tokenLabel("dog", "none")).toBe("dog");
  });
  it("join into running text", () => {
    expect(joinTokens(["▁Ein", "▁Hünd", "chen", "."])).toBe("Ein Hündchen.");
    expect(joinTokens(["a", "hound", "##s"])).toBe("a hounds");
    expect(joinTokens(["a", "dog"])).toBe("a dog");
    expect(joinTokens(["r", "ennt"], "start")).toBe("rennt");
  });
});

it("the pieces of a long text without word marks come at once", () => {
  const tokens = Array.from({ length: 100_000 }, (_, i) => `t${i}`);
  const start = performance.now();
  expect(units({ tokens, words: null, sentences: null, predicts: null, prompt: 0 }, "token")).toHaveLength(100_000);
  expect(performance.now() - start).toBeLessThan(60_000); // ten billion comparisons would take minutes
});
