import { expect, test } from "vitest";
import { library } from "../../tests/library";
import { Native } from "./native";

test("a browser that cannot run the library learns which can", () => {
  expect(() => new Native(library.slice(0, 99))).toThrow("open the page in a current Chromium or Firefox");
});

test("a model that the engine refuses is refused with its reason", () => {
  expect(() => new Native(library).open(new Uint8Array(200), {}, new Uint8Array(0), {})).toThrow("The model cannot run in this page: vocab_size must be from 1");
});
