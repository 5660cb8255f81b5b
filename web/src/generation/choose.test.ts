import { expect, it } from "vitest";
import { recordedSource, traces } from "../../tests/recorded";
import { ask, createState } from "../state";
import { chooseHypothesis } from "./Word";

const text = traces[0]!.text;

async function traced() {
  const state = createState(recordedSource());
  await ask(state, { model: "en-de", text, num_beams: 3 });
  return state;
}

it("asks for the same run's other hypothesis and forgets what was about the first", async () => {
  const state = await traced();
  state.step.value = 2;
  state.locked.value = [1];
  await chooseHypothesis(state, 1);
  expect(state.trace.value?.generation?.shown).toBe(1);
  expect(state.request.value).toMatchObject({ model: "en-de", text, num_beams: 3, hypothesis: 1 });
  expect(state.step.value).toBeNull();
  expect(state.locked.value).toEqual([]);
});

it("keeps what is there when it cannot be had, and says so", async () => {
  const state = await traced();
  const before = state.trace.value;
  state.step.value = 2;
  state.source.trace = () => Promise.reject(new Error("the model is gone"));
  await chooseHypothesis(state, 1);
  expect(state.trace.value).toBe(before);
  expect(state.step.value).toBe(2);
  expect(state.error.value).toBe("the model is gone");
});
