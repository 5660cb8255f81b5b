/** Notice of an error or of something missing, with what to do next. */
import { enter } from "../learn/go";
import { ask, type State } from "../state";
import { isDoubt, translated } from "../words/translated";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { UNREACHABLE } from "../source/connection";
import { filled, useWords } from "../words/words";

export function Notice({ state }: { state: State }) {
  const say = useWords();
  const { error, busy, begun, trace, models, source, draft } = state;
  if (source.connection?.lost.value) return null; // said by an alert of its own
  if (error.value) {
    const request = state.request.value;
    return (
      <div class="rg-notice rg-notice--error" role="alert">
        <p>{translated(say, error.value)}</p>
        {trace.value && draft.text.value.trim() !== trace.value.text && <p class="rg-note rg-notice__before">{say("notice.below")} “{trace.value.text}”</p>}
        <div class="rg-row">
          {request && source.abilities.trace && !trace.value && (
            <button type="button" class="rg-button" onClick={() => void ask(state, request)}>{say("again")}</button>
          )}
          <button type="button" class="rg-button rg-button--bare" onClick={() => (error.value = null)}>{say("notice.dismiss")}</button>
        </div>
      </div>
    );
  }
  const doubts = (trace.value?.notes ?? []).filter(isDoubt);
  if (doubts.length) return <p class="rg-note rg-notice--doubt" role="status">{doubts.map((note) => translated(say, note))}</p>;
  if (trace.value || (!busy.value && !begun.value)) return null;
  if (busy.value)
    return (
      <div class="rg-notice rg-notice--empty" role="status">
        <p class="rg-panel__title">{say("stage.running")}</p>
        <p>{say("notice.recording")}</p>
      </div>
    );
  return (
    <div class="rg-notice rg-notice--empty">
      <p class="rg-panel__title">{say("notice.nothing")}</p>
      <p>{say(models.value.length ? "notice.write" : "notice.model")}</p>
      {source.abilities.explain && (
        <button type="button" class="rg-button" onClick={() => enter(state)}>{say("notice.learn")}</button>
      )}
    </div>
  );
}

export function Gone({ state }: { state: State }) {
  const say = useWords();
  const trying = useSignal(false);
  const { connection } = state.source;
  const returns = connection?.returns.value ?? 0;
  const seen = useRef(returns);
  useEffect(() => {
    if (seen.current === returns) return;
    seen.current = returns;
    if (state.error.value === UNREACHABLE) state.error.value = null;
    const request = state.unanswered.value;
    if (request) void ask(state, request);
  }, [returns, state]);
  if (!connection?.lost.value) return null;
  const retry = async () => {
    trying.value = true;
    await connection.retry();
    trying.value = false;
  };
  return (
    <div class="rg-notice rg-notice--error rg-gone" role="alert">
      <p>{filled(say("notice.gone"), { command: <code>regard studio</code> })}</p>
      <div class="rg-row">
        <button type="button" class="rg-button" aria-disabled={trying.value} onClick={() => trying.value || void retry()}>{say("again")}</button>
      </div>
    </div>
  );
}
