/** Choices of the second pane: layer and head, model and text. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TraceInfo, TraceRequest } from "../source";
import type { State } from "../state";
import { made, sentence } from "../state";
import { LayerAndHead } from "./LayerAndHead";
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

  const put = (trace: TraceInfo) => {
    const other = placedIn(trace, second);
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
  const same = second.trace.id === first.trace.id;
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
      <LayerAndHead pane={second} onChoose={(tap, head) => (state.other.value = { trace: second.trace, tap: tap.name, head })} />
      {able && models.length > 0 && (
        <label class="rg-compare__field">
          <span class="rg-unseen">model</span>
          <select
            value={second.trace.model}
            disabled={busy.value}
            onChange={(event) => void trace({ model: event.currentTarget.value, text: draft.value })}
          >
            {!models.some((model) => model.name === second.trace.model) && (
              <option value={second.trace.model} selected>{second.trace.model}</option>
            )}
            {models.map((model) => (
              <option key={model.name} value={model.name} selected={model.name === second.trace.model}>
                {model.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {able && (
        <label class="rg-compare__field rg-compare__field--text">
          <span class="rg-unseen">text</span>
          <input type="text" value={draft.value} disabled={busy.value} onInput={(event) => (draft.value = event.currentTarget.value)} />
        </label>
      )}
      {able && (
        <button type="submit" class="rg-compare__trace" disabled={busy.value || draft.value === second.trace.text}>
          {busy.value ? "looking …" : "look"}
        </button>
      )}
      {!same && (
        <button type="button" class="rg-compare__trace" onClick={() => put(first.trace)}>
          same text and model
        </button>
      )}
      {error.value && <p class="rg-views__error" role="alert">{error.value}</p>}
    </form>
  );
}
