import { expect, test } from "vitest";
import { imageOf, moved, nameOfText } from "./grid";

const tokens = ["CLS", "register 1", "0,0", "0,1", "0,2", "1,0", "1,1", "1,2"];
const axis = { tokens, predicts: null, words: null, sentences: null, prompt: 8, peaks: null };

test("the names of the patches say their grid, behind the tokens of the whole image", () => {
  expect(imageOf({ axes: { patches: { ...axis, image: "data:image/png;base64,A" } } })).toMatchObject({ axis: "patches", rows: 2, columns: 3, extra: 2 });
  expect(imageOf({ axes: { patches: axis } })).toBeNull();
});

test("arrows walk over the grid and beyond its first row, and stay inside", () => {
  const grid = { extra: 2, columns: 3, tokens };
  const to = (key: string, from: string) => tokens[moved(key, tokens.indexOf(from), grid) ?? -1];
  expect([to("ArrowDown", "0,1"), to("ArrowUp", "1,2"), to("ArrowUp", "0,2"), to("ArrowDown", "register 1")]).toEqual(["1,1", "0,2", "register 1", "0,0"]);
  expect([to("ArrowDown", "1,1"), to("ArrowLeft", "CLS"), to("Home", "1,1"), to("End", "CLS")]).toEqual(["1,1", "CLS", "CLS", "1,2"]);
  expect(moved("a", 3, grid)).toBeNull();
});

test("an image that came as text has no name", () => {
  expect([nameOfText("data:image/png;base64,A"), nameOfText("five.png")]).toEqual(["", "five.png"]);
});
