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
