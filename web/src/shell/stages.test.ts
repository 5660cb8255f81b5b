import { expect, test } from "vitest";
import { stageOf } from "./stages";

const asked = { model: "en-de", text: "A dog runs." };

test("a stage names the token that is being written", () => {
  expect(stageOf({ ...asked, stage: "generating", done: 4, most: 64, seconds: 2 }, asked)).toBe("generating, token 5 of at most 64");
});

test("the stage of another page's text is not shown as one's own", () => {
  const other = { model: "en-de", text: "Another.", stage: "generating", done: 4, most: 64, seconds: 2 };
  expect(stageOf(other, asked)).toBe("waiting for another text");
});
