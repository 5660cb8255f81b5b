import { expect, test } from "vitest";
import { translated } from "./translated";
import { sayIn } from "./words";

test("what a server says is said in the page's language, with its numbers and words", () => {
  const german = sayIn("de");
  expect(translated(german, "generating")).toBe("schreibt");
  expect(translated(german, "switched off: head 1 of decoder.layers.1.cross")).toBe("ausgeschaltet: Kopf 1 von decoder.layers.1.cross");
  expect(translated(german, "decoder.layers.1.cross, head 1: “mit” no longer sees “my”")).toBe("decoder.layers.1.cross, Kopf 1: „mit“ sieht „my“ nicht mehr");
  expect(translated(german, "A text may have 511 tokens with en-de; got 600. Look at a part of it.")).toContain("511 Tokens");
});

test("English stays what it was, and so does what the table does not have", () => {
  const sentence = "there is no text to look at; give a sentence.";
  expect(translated(sayIn("en"), sentence).toLowerCase()).toBe(sentence);
  expect(translated(sayIn("hi"), "The disk is full.")).toBe("The disk is full.");
});

test("the table has every sentence that a page's own model may say to its reader", () => {
  const files = import.meta.glob<string>(["../local/**/*.ts", "../source/local.ts", "!../**/*.test.ts"], { query: "?raw", import: "default", eager: true });
  // Of what only a damaged file, a link written by hand or a fault in the page can ask for, English is enough.
  const others = /no matrix|no vector|splits?|tokenizers|been opened|Token ids|must be a (position|row)|must be \$|must be from [01] to|Positions of|no tap|has heads|There are (words|layers)|data\.refusal|heads · head_dim/;
  const thrown = Object.values(files).flatMap((text) => [...text.matchAll(/new Error\(\s*(["`])(.*?)\1(?:\s*\+\s*"(.*?)",?)?\s*\)/gs)].map(([, , first, rest = ""]) => `${first}${rest}`));
  const said = thrown.filter((each) => !others.test(each)).map((each) => each.replaceAll("\\`", "`").replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "7"));
  expect(said.length).toBeGreaterThan(25);
  const german = sayIn("de");
  expect(said.filter((each) => translated(german, each) === each)).toEqual([]);
});
