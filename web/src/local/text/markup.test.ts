import { expect, test } from "vitest";
import german from "../../../../src/regard/shipped/en-de/calibration.json";
import snippets from "../../../../tests/fixtures/html_snippets.json";
import { joined, passages } from "./passages";

const reading = { language: "en", copied: german.copied, letters: "", pieces: (word: string) => word.length };
const VOID = ["br", "hr", "img", "wbr"];
const TAG = /<\/?([a-z][a-z0-9]*)(?:"[^"]*"|'[^']*'|[^"'>])*>/g;

/** The tags of a text, and those that close another element than the last that is open. */
function tagsOf(text: string) {
  const [tags, opened, crossing]: string[][] = [[], [], []];
  for (const [tag, name = ""] of text.matchAll(TAG)) {
    if (tag.startsWith("</")) {
      if (opened?.pop() !== name) crossing?.push(tag);
    } else {
      tags?.push(tag);
      if (!VOID.includes(name)) opened?.push(name);
    }
  }
  return { tags: tags?.sort(), opened, crossing };
}

test.each<[string, (unit: string) => string]>([
  ["copied", (unit) => unit],
  ["nothing", () => ""],
  ["repeated", (unit) => `${unit} ${unit}`],
  ["in another order", (unit) => unit.split(" ").reverse().join(" ")],
])("tags are nested and none is lost where the answer is %s", (_, answer) => {
  for (const text of snippets) {
    const its = passages(text, reading).map((passage) => [passage, passage.translated(passage.units.map(answer)).text] as const);
    expect(tagsOf(joined(text, its)), text).toEqual({ ...tagsOf(text), opened: [], crossing: [] });
  }
});
