/** The text that is looked into: while it is written too, where that takes no time. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { State } from "../state";
import { useWords, type Say } from "../words/words";
import { lookInto } from "./address";
import { fieldsOf, requested } from "./rail/Options";

const SOON = 60; // ms after the last key, or as long as the text before took
const SLOW = 3000; // ms that a text may take, for the next one to be looked into before Enter

export function TextLine({ state }: { state: State }) {
  const say = useWords();
  const { draft, typing, busy } = state;
  const open = useSignal(false); // all of its lines
  const last = useRef({ text: "", took: 0 });
  useSignalEffect(() => {
    const text = draft.text.value.trim();
    if (!typing.value || busy.value || !text || text === last.current.text || last.current.took > SLOW) return;
    const timer = setTimeout(async () => {
      const began = performance.now();
      last.current = { text, took: 0 };
      await lookIntoDraft(state, say);
      last.current.took = performance.now() - began;
    }, Math.max(SOON, last.current.took));
    return () => clearTimeout(timer);
  });
  if (state.models.value.find((each) => each.name === draft.model.value)?.task === "vision") return null; // it reads images
  return (
    <textarea
      class={`rg-field rg-line${open.value ? " rg-line--open" : ""}`}
      aria-label={say("text")}
      rows={1}
      spellcheck={false}
      placeholder={say("ask.placeholder")}
      title={say("ask.enter")}
      value={draft.text.value}
      onInput={(event) => {
        typing.value = true;
        draft.text.value = event.currentTarget.value;
      }}
      onFocus={() => (open.value = true)}
      onBlur={({ currentTarget: field }) => {
        typing.value = false;
        const close = () => (field.matches(".regard:active *") ? requestAnimationFrame(close) : (open.value = field.matches(":focus")));
        close();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        typing.value = false;
        last.current.took = 0;
        void lookIntoDraft(state, say);
      }}
    />
  );
}

/** Looks into what stands in the fields. */
export async function lookIntoDraft(state: State, say: Say): Promise<void> {
  const { model, text, options } = state.draft;
  const found = state.models.value.find((each) => each.name === model.value);
  if (!text.value.trim() || !found) {
    state.error.value = text.value.trim() ? say("ask.unknown", { model: model.value }) : say("ask.empty");
    return;
  }
  const { options: own = {} } = found;
  await lookInto(state, { model: model.value, text: text.value.trim(), ...requested(options.value, fieldsOf(own, options.value), Object.keys(own).length > 0) });
}
