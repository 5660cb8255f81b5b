import { expect, test } from "vitest";
import calibration from "../../../../src/regard/shipped/en-de/calibration.json";
import tokenizerFile from "../../../../src/regard/shipped/en-de/tokenizer.json?raw";
import { readability } from "./readable";
import { tokenizer } from "./tokenizer";

const { unknownShare } = tokenizer(JSON.parse(tokenizerFile));
const { check, doubts } = readability("en-de", calibration);
const read = (text: string) => () => check(text, unknownShare(text));

const HINDI = "मैं अपने दोस्तों के साथ चाय पीना चाहता हूँ।";

test("a text in another script is refused in the studio's sentence", () => {
  expect(() => check(HINDI, 1)).toThrow(
    "en-de cannot read this text: its vocabulary lacks 100% of the characters of 'मैं अपने दोस्तों के साथ चाय पीना चाहता …'. Give a text in its language, or choose another model.",
  );
});

test("a text in another language is refused, one in the model's own is read", () => {
  for (const text of [HINDI, "मैं"]) expect(read(text)).toThrow("en-de cannot read this text: its vocabulary lacks"); // all but lone letters
  const german = "Der alte Hund sieht die kleine Katze im Garten und läuft ihr durch das ganze Dorf bis zum Haus der Großmutter hinterher, weil er sie schon lange nicht mehr gesehen hat.";
  expect(read(german)).toThrow(/^'Der alte Hund .*…' is in another language than en-de reads\./);
  expect(read("Der Hund sieht die Katze im Garten.")).not.toThrow(); // too short to be sure
  expect(doubts("Der Hund sieht die Katze im Garten.")).toEqual(["the text seems to be in another language than en-de reads, so the translation may be a guess"]);
  expect(doubts("I would like to drink a cup of tea.")).toEqual([]);
  for (const text of ["I would like to drink a cup of tea.", "Tea!", "1234 🙂 and a dog"]) expect(read(text)).not.toThrow();
});
