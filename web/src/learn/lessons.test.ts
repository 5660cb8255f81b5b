import { expect, test } from "vitest";
import { knowsQueries, lessonOf, LESSONS, requestsOf, settingsOf } from "./lessons";

test("a lesson uses what it is about and nothing else that was chosen", () => {
  const chosen = { temperature: 4, score: "gaussian", head_dim: 16 } as const;
  expect(settingsOf(lessonOf("similarity"), chosen)).toMatchObject({ score: "gaussian", temperature: 4, head_dim: null });
  expect(settingsOf(lessonOf("alike"), chosen)).toMatchObject({ score: "dot", temperature: 1 });
  expect(settingsOf(lessonOf("words"), chosen).head_dim).toBe(16);
});

test("a choice stands over the lesson's own start", () => {
  expect(settingsOf(lessonOf("masks"), {}).mask).toBe("causal");
  expect(settingsOf(lessonOf("masks"), { mask: "none" }).mask).toBe("none");
});

test("only a picture with arrows asks for the spotlight's geometry", () => {
  expect(requestsOf(lessonOf("qkv"), { projections: "random" }, "a b c", 2)).toMatchObject([{ spotlight: 2, projections: "random", head_dim: 2 }]);
  expect(requestsOf(lessonOf("masks"), {}, "a b c", 2)).toMatchObject([{ spotlight: null, text: "a b c" }]);
});

test("what stands beside the answer is asked for as well", () => {
  const scale = requestsOf(lessonOf("scale"), { head_dim: 4 }, "a b c", 0);
  expect(scale.map(({ score, head_dim }) => [score, head_dim])).toEqual([["dot", 4], ["scaled_dot", 4]]);
  const order = requestsOf(lessonOf("order"), { swap: [0, 2], positions: true }, "a b c", 0);
  expect(order.map(({ text, positions }) => [text, positions])).toEqual([["a b c", true], ["c b a", true]]);
  expect(order[0]).not.toHaveProperty("swap");
});

test("a trained head is asked for by layer and head, with the words alone", () => {
  const [asked, ...more] = requestsOf(lessonOf("qkv"), { layer: 1, head: 3, head_dim: 8 }, "The cat, perhaps.", 2);
  expect(more).toEqual([]);
  expect(asked).toEqual({ text: "The cat perhaps", projections: "trained", layer: 1, head: 3, spotlight: 2 });
});

test("a picture that asks for its numbers itself has no questions here", () => {
  for (const lesson of LESSONS) expect(requestsOf(lesson, {}, "a b", 0).length === 0).toBe(lesson.own === true);
});

test("the columns are called query and key from their lesson on, and not before", () => {
  expect(LESSONS.filter((lesson) => !knowsQueries(lesson)).map(({ name }) => name)).toEqual(["words", "average", "alike", "softmax", "scale"]);
});

test("every name is its own", () => {
  expect(new Set(LESSONS.map(({ name }) => name)).size).toBe(LESSONS.length);
});
