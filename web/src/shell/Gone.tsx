/** The alert over a page whose server has gone, and what is asked again when it is back. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { UNREACHABLE } from "../source/connection";
import { ask, type State } from "../state";
import { filled, useWords } from "../words/words";

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
