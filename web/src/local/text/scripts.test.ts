/** Words and names of tokens of all scripts: tests/fixtures/scripts.json holds for Python, too. */
import { expect, test } from "vitest";
import cases from "../../../../tests/fixtures/scripts.json";
import { joinTokens, units } from "../../weights/units";
import { joinedNames, namesOf } from "../../weights/naming";
import { spelled } from "./letters";

test.each(cases.spelled as [string, string[]][])("the words of %s by their letters", (text, words) => {
  expect(spelled(text)).toEqual(words);
});

test.each(cases.named as [string[], string[], string][])("tokens that are bytes: %s", (pieces, names, text) => {
  const bytes = (id: number) => /^<0x(..)>$/.exec(pieces[id] as string)?.slice(1).map((byte) => parseInt(byte, 16)) ?? null;
  expect(namesOf([...pieces.keys()], { piece: (id) => pieces[id] as string, bytes })).toEqual(names);
  expect(joinedNames(names)).toBe(text);
});

test("a word of bytes is read as its letters", () => {
  const tokens = ["▁in", "▁", "Ł", "<0x81>", "ó", "d", "ź", "<0xBA>", ".", "</s>"];
  expect(joinTokens(tokens.slice(1, 9))).toBe("Łódź.");
  const axis = { tokens, words: [[0, 1], [1, 9], [9, 10]], sentences: null, predicts: null, prompt: 10, peaks: null, image: null };
  expect(Array.from(units(axis as unknown as Parameters<typeof units>[0], "word"), ({ label }) => label)).toEqual(["in", "Łódź.", "</s>"]);
});
