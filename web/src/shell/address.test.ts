import { expect, test } from "vitest";
import { fakeSource } from "../source/fake";
import { createState } from "../state";
import { read, write } from "../url";
import { addressOf, begin } from "./address";

test("a page without an address links model, text and options of the trace that it finds, not its id", async () => {
  const source = fakeSource();
  const [model] = await source.models();
  const request = { model: model?.name ?? "", text: "A dog runs.", num_beams: 3, without: ["2"], target: null };
  const listed = { id: "ab12", model: request.model, text: request.text, request };
  const state = createState({ ...source, traces: () => Promise.resolve([listed]) });
  await begin(state, read(""));
  const address = write(addressOf(state));
  expect(address).toContain(`model=${request.model.replaceAll(" ", "+")}&text=A+dog+runs.&beams=3&without=2`);
  expect(address).not.toContain("trace=");
});

test("a page without an address does not open what another page asked for", async () => {
  const source = fakeSource();
  const [model] = await source.models();
  const request = { model: model?.name ?? "", text: "Some other sentence." };
  const listed = { id: "ab12", model: request.model, text: request.text, request, pinned: false };
  const state = createState({ ...source, traces: () => Promise.resolve([listed]) });
  await begin(state, read(""));
  expect(state.trace.value?.text).toBe(model?.example);
});
