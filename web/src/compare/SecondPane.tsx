/** Choices of the second pane: layer and head, model and text. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Head, TapInfo, TraceInfo, TraceRequest } from "../source";
import type { State } from "../state";
import { made, sentence } from "../state";
import { Choice } from "../weights/Choice";
import { headWords, tapWords } from "../weights/words";
import type { Pane } from "./panes";
import { placedIn } from "./panes";

interface SecondPaneProps {
  state: State;
  first: Pane;
  second: Pane;
}

export function SecondPane({ state, first, second }: SecondPaneProps) {
  const draft = useSignal(second.trace.text);
  const busy = useSignal(false);
  const error = useSignal<string | null>(null);
  const asking = useRef<AbortController | null>(null);
  useEffect(() => {
    draft.value = second.trace.text;
  }, [second.trace.id]);
  useEffect(() => () => asking.current?.abort(), []);

  const same = second.trace.id === first.trace.id;
  const put = (trace: TraceInfo) => {
    const other = placedIn(trace, same ? first : second); // another text is compared in the same head
    if (other) state.other.value = other;
    else error.value = "this trace has no attention to show; choose another model";
  };
  const trace = async (request: TraceRequest) => {
    asking.current?.abort();
    const abort = new AbortController();
    asking.current = abort;
    busy.value = true;
    error.value = null;
    try {
      const answer = await made(state, request, abort.signal);
      if (!abort.signal.aborted) put(answer);
    } catch (reason) {
      if (!abort.signal.aborted) error.value = sentence(reason);
    } finally {
      if (asking.current === abort) busy.value = false;
    }
  };

  const able = state.source.abilities.trace;
  const models = state.models.value;
  const names = [...new Set([...models.map((each) => each.name), second.trace.model])];
  const { tap, head, trace: { taps } } = second;
  const heads: Head[] = [...Array.from({ length: tap.heads }, (_, each) => each), "mean"];
  const show = ({ name, heads: there }: TapInfo, each: Head) => (state.other.value = { trace: second.trace, tap: name, head: each !== "mean" && each >= there ? 0 : each });
  return (
    <form
      class="rg-compare__pane rg-compare__pane--second"
      aria-label="the second pane"
      aria-busy={busy.value}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.value.trim()) void trace({ model: second.trace.model, text: draft.value });
        else error.value = "the text is empty; write a sentence for the second pane";
      }}
    >
      <span class="rg-compare__which">second</span>
      <Choice name="layer" label="" look="list" options={taps.map((each, at) => [at, tapWords(each)])} value={taps.indexOf(tap)} onChoose={(at) => show(taps[at] as TapInfo, head)} />
      <Choice name="head" label="" look="list" options={heads.map((each) => [each, headWords(each)])} value={head} onChoose={(each) => show(tap, each)} />
      {able && models.length > 0 && (
        <Choice name="model" label="" look="list" options={names.map((each) => [each, each])} value={second.trace.model} disabled={busy.value} onChoose={(model) => void trace({ model, text: draft.value })} />
      )}
      {able && (
        <input class="rg-field rg-compare__text" type="text" aria-label="text" value={draft.value} disabled={busy.value} onInput={(event) => (draft.value = event.currentTarget.value)} />
      )}
      {able && (
        <button type="submit" class="rg-button" disabled={busy.value || draft.value === second.trace.text}>
          {busy.value ? "looking …" : "look"}
        </button>
      )}
      {!same && (
        <button type="button" class="rg-button" onClick={() => put(first.trace)}>
          same text and model
        </button>
      )}
      {error.value && <p class="rg-note rg-note--error" role="alert">{error.value}</p>}
    </form>
  );
}
