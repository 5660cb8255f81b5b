import { expect, test } from "vitest";
import { sayIn } from "../words/words";
import { stageOf } from "./Progress";

const asked = { model: "en-de", text: "A dog runs." };

test("a stage names the token that is being written", () => {
  expect(stageOf(sayIn("en"), { ...asked, stage: "generating", done: 4, most: 64, seconds: 2 }, asked)).toBe("generating, token 5 of at most 64");
  expect(stageOf(sayIn("de"), { ...asked, stage: "reading the text", done: 0, most: 0, seconds: 2 }, asked)).toBe("liest den Text");
});

test("the stage of another page's text is not shown as one's own", () => {
  const other = { model: "en-de", text: "Another.", stage: "generating", done: 4, most: 64, seconds: 2 };
  expect(stageOf(sayIn("en"), other, asked)).toBe("waiting for another text");
});
