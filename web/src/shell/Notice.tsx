/** Notice of an error or of something missing, with what to do next. */
import { enter } from "../learn/go";
import { ask, type State } from "../state";

export function Notice({ state }: { state: State }) {
  const { error, busy, begun, trace, models, source } = state;
  if (source.connection?.lost.value) return null; // said by an alert of its own
  if (error.value) {
    const request = state.request.value;
    return (
      <div class="rg-notice rg-notice--error" role="alert">
        <p>{error.value}</p>
        <div class="rg-row">
          {request && source.abilities.trace && !trace.value && (
            <button type="button" class="rg-button" onClick={() => void ask(state, request)}>try again</button>
          )}
          <button type="button" class="rg-button rg-button--bare" onClick={() => (error.value = null)}>dismiss</button>
        </div>
      </div>
    );
  }
  if (trace.value || (!busy.value && !begun.value)) return null;
  if (busy.value)
    return (
      <div class="rg-notice rg-notice--empty" role="status">
        <p class="rg-notice__lead">running the model</p>
        <p>Every attention layer is being recorded; the first map appears in a moment.</p>
      </div>
    );
  return (
    <div class="rg-notice rg-notice--empty">
      <p class="rg-notice__lead">nothing to see yet</p>
      <p>
        {models.value.length
          ? "Write a sentence and press Enter, or use the sample."
          : "No model is open here. In a terminal, run: regard studio FOLDER; or, for a saved trace: regard look FILE."}
      </p>
      {source.abilities.explain && (
        <button type="button" class="rg-button" onClick={() => enter(state)}>learn how attention works</button>
      )}
    </div>
  );
}
