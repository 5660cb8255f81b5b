import { expect, test } from "vitest";
import { fieldsOf, requested, written } from "./Options";

test("each kind of model has the fields that it takes", () => {
  const names = (task: "translation" | "generation" | "encoding", draws: boolean) => fieldsOf(task, draws).map((each) => each.name);
  expect(names("translation", false)).toEqual(["num_beams"]);
  expect(names("generation", true)).toEqual(["num_beams", "generate", "temperature", "top_k", "seed"]);
  expect(names("encoding", true)).toEqual([]);
});

test("what is empty, or no number, is left to the model", () => {
  const fields = fieldsOf("generation", true);
  expect(requested({ num_beams: " ", seed: "x", generate: "0", temperature: "0.5" }, fields, true)).toEqual({ generate: 0, temperature: 0.5 });
  expect(requested({ generate: "3", num_beams: "2" }, fieldsOf("translation", false), true)).toEqual({ num_beams: 2 });
});

test("a target leaves nothing to search for", () => {
  expect(requested({ target: " Ein Hund. ", seed: "1" }, fieldsOf("translation", true), true)).toEqual({ target: "Ein Hund." });
  expect(requested({ target: "Ein Hund." }, [], false)).toEqual({});
});

test("the fields show what was asked for", () => {
  expect(written({ model: "m", text: "t", num_beams: 3, seed: 0, target: null })).toEqual({ num_beams: "3", seed: "0" });
});
