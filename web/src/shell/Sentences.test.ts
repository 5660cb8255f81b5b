import { expect, test } from "vitest";
import { continues } from "./Sentences";

test("running text has spaces where the tokenizer marked the beginning of a word", () => {
  expect(["▁sto", "ve", ".", "</s>"].map((token) => continues(token, "start"))).toEqual([false, true, true, false]);
  expect(["sto", "##ve", "."].map((token) => continues(token, "hash"))).toEqual([false, true, false]);
});
