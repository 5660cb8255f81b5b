/** Form for a model and a text to run it on. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useId } from "preact/hooks";
import { imageOf, isImage } from "../../image/grid";
import { ImageField } from "../../image/ImageField";
import type { State } from "../../state";
import { useWords } from "../../words/words";
import { lookInto } from "../address";
import { OpenModel } from "./OpenModel";
import { fieldsOf, Options, requested, written, type Chosen } from "./Options";

export function AskForm({ state }: { state: State }) {
  const id = useId();
  const say = useWords();
  const model = useSignal("");
  const text = useSignal("");
  const options = useSignal<Chosen>({});
  // What was traced is what stands in the fields, until the user writes.
  useSignalEffect(() => {
    const trace = state.trace.value;
    if (trace) {
      model.value = trace.model;
      text.value = isImage(trace.text) ? trace.text : (imageOf(trace)?.source ?? trace.text);
      options.value = written(state.request.value ?? { model: "", text: "" });
      return;
    }
    const asked = state.asking.value; // the first text, while it is being looked at
    if (asked) [model.value, text.value] = [asked.model, asked.text];
    else if (!model.peek()) model.value = state.models.value[0]?.name ?? "";
  });
  const models = state.models.value;
  const chosen = models.find((each) => each.name === model.value);
  const submit = (event?: Event) => {
    event?.preventDefault();
    if (!text.value.trim()) {
      state.error.value = say("ask.empty");
      return;
    }
    const runs = state.models.value.find((each) => each.name === model.value);
    if (!runs) {
      state.error.value = say("ask.unknown", { model: model.value });
      return;
    }
    const { options: own = {} } = runs;
    const writes = Object.keys(own).length > 0;
    void lookInto(state, { model: model.value, text: text.value.trim(), ...requested(options.value, fieldsOf(own, options.value), writes) });
  };
  const choose = (name: string) => {
    const before = chosen?.example;
    model.value = name;
    const next = state.models.value.find((each) => each.name === name);
    if (next?.example && (!text.value.trim() || text.value === before || isImage(text.value) !== (next.task === "vision"))) text.value = next.example;
    if (text.value.trim() && !state.busy.value) submit(); // what is on screen is of the model before
  };
  const names = chosen || !model.value ? models.map((each) => each.name) : [model.value, ...models.map((each) => each.name)];

  return (
    <form class="rg-ask" aria-label={say("ask.form")} onSubmit={submit}>
      {chosen?.task === "vision" ? <ImageField text={text.value} onChoose={(image) => (text.value = image, submit())} /> : <textarea
        class="rg-field rg-ask__text"
        aria-label={say("text")}
        rows={3}
        spellcheck={false}
        placeholder={say("ask.placeholder")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />}
      <div class="rg-ask__row">
        <select class="rg-select" aria-label={say("model")} value={model.value} disabled={!names.length} onChange={(event) => choose(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name} value={name} selected={name === model.value}>{name}</option>
          ))}
        </select>
        <button type="submit" class="rg-button rg-button--main" disabled={state.busy.value || !chosen} title={chosen || !model.value ? say("ask.enter") : say("ask.unknown", { model: model.value })}>
          {say(state.busy.value ? "ask.looking" : "ask.look")}
        </button>
      </div>
      {chosen && <p class="rg-note">{chosen.description}</p>}
      {!chosen && model.value && <p class="rg-note">{say("ask.fixed")}</p>}
      {chosen?.example && text.value !== chosen.example && (
        <button type="button" class="rg-ask__name" onClick={() => (text.value = chosen.example)}>{say("ask.sample")}</button>
      )}
      {state.source.abilities.open && <OpenModel state={state} onOpen={choose} />}
      {chosen && (
        <Options id={id} own={chosen.options} notes={state.source.draws ?? []} chosen={options.value} onChange={(next) => (options.value = next)} />
      )}
    </form>
  );
}
