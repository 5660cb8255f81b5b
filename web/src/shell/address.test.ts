import { effect } from "@preact/signals";
import { expect, test } from "vitest";
import { model, recordedSource, traces } from "../../tests/recorded";
import type { TraceRequest } from "../source";
import { ask, createState } from "../state";
import { read, write } from "../url";
import { addressOf, begin, lookInto } from "./address";

test("a page without an address links model, text and options of the trace that it finds, not its id", async () => {
  const source = recordedSource();
  const request = { model: model?.name ?? "", text: traces[0]!.text, num_beams: 3, without: ["2"], target: null };
  const listed = { id: "ab12", model: request.model, text: request.text, request };
  const state = createState({ ...source, traces: () => Promise.resolve([listed]) });
  await begin(state, read(""));
  const address = write(addressOf(state));
  expect(address).toContain(`model=${request.model.replaceAll(" ", "+")}&text=A+dog+runs+in+the+park.+It+barks.&beams=3&without=2`);
  expect(address).not.toContain("trace=");
});

test("a page without an address does not open what another page asked for", async () => {
  const source = recordedSource();
  const request = { model: model?.name ?? "", text: traces[1]!.text };
  const listed = { id: "ab12", model: request.model, text: request.text, request, pinned: false };
  const models = () => Promise.resolve([{ ...model!, example: traces[2]!.text }]);
  const state = createState({ ...source, models, traces: () => Promise.resolve([listed]) });
  await begin(state, read(""));
  expect(state.trace.value?.text).toBe(traces[2]!.text);
});

test("a link with a model alone opens that model, at its example", async () => {
  const models = () => Promise.resolve([{ ...model!, name: "other", example: "Tea." }, { ...model!, example: traces[2]!.text }]);
  const state = createState({ ...recordedSource(), models, traces: () => Promise.resolve([]) });
  await begin(state, read(`?model=${encodeURIComponent(model!.name)}`));
  expect([state.trace.value?.model, state.trace.value?.text]).toEqual([model!.name, traces[2]!.text]);
});

test("another model strikes the same words out of the same text, and what it cannot have is said to be left", async () => {
  const axis = (tokens: string[]) => ({ tokens, words: null, predicts: null, sentences: null, prompt: 1 });
  const tokens: Record<string, string[]> = { one: ["▁My", "▁tea", "</s>"], other: ["<s>", "▁my", "▁tea"] };
  const asked: TraceRequest[] = [];
  const trace = (request: TraceRequest) => {
    asked.push(request);
    const { model, text, without } = request;
    return Promise.resolve({ ...traces[0]!, id: `${model} ${without}`, model, text, axes: { source: axis(tokens[model]!) }, taps: [], can_rewrite: true });
  };
  const state = createState({ ...recordedSource(), trace });
  const cross = "decoder.layers.0.cross";
  await ask(state, { model: "one", text: "My tea", without: ["0", `${cross}:1`] });
  await lookInto(state, { model: "other", text: "My tea" });
  expect(asked.slice(1)).toEqual([{ model: "other", text: "My tea" }, { model: "other", text: "My tea", without: ["1"] }]);
  expect(state.request.value?.without).toEqual(["1"]);
  expect(state.error.value).toBe(`This was changed in one and is left there: ${cross}:1.`);
  await lookInto(state, { model: "one", text: "My milk" });
  expect([state.request.value?.without, state.error.value]).toEqual([undefined, null]);
});

test("the first trace comes in the view that suits it, so that no other is drawn before", async () => {
  const models = () => Promise.resolve([{ ...model!, example: traces[0]!.text }]);
  const state = createState({ ...recordedSource(), models, traces: () => Promise.resolve([]) });
  const seen: unknown[] = [];
  effect(() => void (state.trace.value && seen.push([state.view.value, state.head.value])));
  await begin(state, read(""));
  expect(seen).toEqual([["sentence", "mean"]]);
});
