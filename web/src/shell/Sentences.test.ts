import { expect, test } from "vitest";
import { continues } from "../weights/units";
import { written } from "./Sentences";

test("running text has spaces where the tokenizer marked the beginning of a word", () => {
  expect(["▁sto", "ve", ".", "</s>"].map((token) => continues(token, "start"))).toEqual([false, true, true, false]);
  expect(["sto", "##ve", "."].map((token) => continues(token, "hash"))).toEqual([false, true, false]);
});

test("a mark of a letter stands with it, though another token begins with it", () => {
  const tokens = ["▁मेरे", "▁दोस्त", "ों", "▁के", "</s>"];
  expect(written(tokens, 0, 5, "start").map(({ label }) => label)).toEqual(["मेरे", "दोस्तों", "के", "</s>"]);
  expect(written(tokens, 1, 3, "start")).toEqual([{ position: 1, end: 3, label: "दोस्तों" }]);
  expect(written(["▁sto", "ve"], 0, 2, "start").map(({ label }) => label)).toEqual(["sto", "ve"]);
});
