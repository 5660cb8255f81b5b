/** Hard texts as Python reads and writes them: tests/fixtures/hard_texts.py wrote what it does. */
import { expect, test } from "vitest";
import german from "../../../../src/regard/shipped/en-de/calibration.json";
import germanFile from "../../../../src/regard/shipped/en-de/tokenizer.json?raw";
import hindi from "../../../../src/regard/shipped/en-hi/calibration.json";
import hindiFile from "../../../../src/regard/shipped/en-hi/tokenizer.json?raw";
import texts from "../../../../tests/fixtures/hard_texts.json";
import { piecesOf } from "./capitals";
import { joined, passages } from "./passages";
import { tokenizer } from "./tokenizer";

const models = { "en-de": [german, germanFile], "en-hi": [hindi, hindiFile] } as const;

test.each(["en-de", "en-hi"] as const)("%s reads and puts together every hard text as in Python", (model) => {
  const [{ copied, words }, file] = models[model];
  const { encode } = tokenizer(JSON.parse(file));
  const reading = { language: "en", copied, letters: "", pieces: piecesOf(encode, words) };
  for (const { text, translation, sentences } of texts[model]) {
    const its = passages(text, reading);
    expect(its.map(({ units }) => units)).toEqual(sentences.map(({ units }) => units));
    const written = its.map((passage, i) => passage.translated(sentences[i]?.answers ?? []).text);
    expect(joined(text, its.map((passage, i) => [passage, written[i] as string] as const))).toBe(translation);
  }
}, 60_000);
