import { expect, test } from "vitest";
import { changed } from "./Changed";

const marked = (before: string, after: string) => {
  const parts = changed(before, after);
  const text = (all: typeof parts.before) => all.map((each) => (each.changed ? `[${each.text}]` : each.text)).join("");
  return [text(parts.before), text(parts.after)];
};

test("words that stay in order are unchanged, the others are marked", () => {
  expect(marked("eine Tasse Tee mit meinen Freunden trinken.", "eine Tasse Tee mit Freunden trinken.")).toEqual([
    "eine Tasse Tee mit[ meinen] Freunden trinken.",
    "eine Tasse Tee mit Freunden trinken.",
  ]);
  expect(marked("Ich würde gern Tee trinken.", "Ich trinke gern Tee.")).toEqual([
    "Ich[ würde] gern Tee[ trinken].",
    "Ich[ trinke] gern Tee.",
  ]);
});

test("the same sentence has no change, and none at all is all new", () => {
  expect(marked("Gut.", "Gut.")).toEqual(["Gut.", "Gut."]);
  expect(marked("", "Gut so.")).toEqual(["", "[Gut so.]"]);
});
