/** Form for a model and how it writes; the text stands above the picture. */
import { useSignalEffect } from "@preact/signals";
import { useId } from "preact/hooks";
import { imageOf, isImage } from "../../image/grid";
import { ImageField } from "../../image/ImageField";
import { waiting, type State } from "../../state";
import { useWords } from "../../words/words";
import { lookIntoDraft } from "../TextLine";
import { OpenModel } from "./OpenModel";
import { Options, written } from "./Options";

export function AskForm({ state }: { state: State }) {
  const id = useId();
  const say = useWords();
  const { model, text, options } = state.draft;
  // What was traced is what stands in the fields, until the user writes.
  useSignalEffect(() => {
    const trace = state.trace.value;
    if (trace) {
      model.value = trace.model;
      if (!state.typing.peek()) text.value = isImage(trace.text) ? trace.text : (imageOf(trace)?.source ?? trace.text);
      options.value = written(state.request.value ?? { model: "", text: "" });
      return;
    }
    const asked = state.asking.value; // the first text, while it is being looked at
    if (asked) [model.value, text.value] = [asked.model, asked.text];
    else if (!model.peek()) model.value = state.models.value[0]?.name ?? "";
  });
  const models = state.models.value;
  const chosen = models.find((each) => each.name === model.value);
  const choose = (name: string) => {
    const before = chosen?.example;
    model.value = name;
    const next = state.models.value.find((each) => each.name === name);
    const fits = text.value.trim() && text.value !== before && isImage(text.value) === (next?.task === "vision");
    look((!fits && next?.example) || text.value);
  };
  const look = (wanted: string) => {
    text.value = wanted;
    if (wanted.trim() && !state.busy.value) void lookIntoDraft(state, say); // what is on screen is of the model before
  };
  const names = chosen || !model.value ? models.map((each) => each.name) : [model.value, ...models.map((each) => each.name)];

  return (
    <form
      class="rg-ask"
      aria-label={say("ask.form")}
      onSubmit={(event) => {
        event.preventDefault();
        void lookIntoDraft(state, say);
      }}
    >
      {chosen?.task === "vision" && <ImageField text={text.value} onChoose={look} />}
      <div class="rg-ask__row">
        <select class="rg-select" aria-label={say("model")} value={model.value} disabled={!names.length} onChange={(event) => choose(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name} value={name} selected={name === model.value}>{name}</option>
          ))}
        </select>
        <button type="submit" class="rg-button rg-button--main" disabled={waiting(state) || !chosen} title={chosen || !model.value ? say("ask.enter") : say("ask.unknown", { model: model.value })}>
          {say(waiting(state) ? "ask.looking" : "ask.look")}
        </button>
      </div>
      {chosen && <p class="rg-note">{chosen.description}</p>}
      {!chosen && model.value && <p class="rg-note">{say("ask.fixed")}</p>}
      {chosen?.example && text.value !== chosen.example && (
        <button type="button" class="rg-ask__name rg-note" onClick={() => look(chosen.example)}>{say("ask.sample")}</button>
      )}
      {state.source.abilities.open && <OpenModel state={state} onOpen={choose} />}
      {chosen && (
        <Options id={id} own={chosen.options} notes={state.source.draws ?? []} chosen={options.value} onChange={(next) => (options.value = next)} />
      )}
    </form>
  );
}
