/** Progress of a trace that is being made, its time so far, and a way to stop it. */
import { useEffect, useState } from "preact/hooks";
import type { TraceRequest, Working } from "../source";
import type { State } from "../state";
import { translated } from "../words/translated";
import { useWords, type Say } from "../words/words";

const SOON = 300; // milliseconds before anything is shown: most traces are made by then
const EVERY = 500;

export function Progress({ state }: { state: State }) {
  const say = useWords();
  const busy = state.busy.value;
  const [since, begin] = useState<number | null>(null);
  const [seconds, tick] = useState(0);
  const [working, setWorking] = useState<Working | null>(null);
  useEffect(() => {
    if (!busy) return;
    const began = performance.now();
    const abort = new AbortController();
    const look = async () => {
      begin(began);
      tick(Math.floor((performance.now() - began) / 1000));
      setWorking((await state.source.working?.(abort.signal).catch(() => null)) ?? null);
    };
    const first = setTimeout(look, SOON);
    const timer = setInterval(look, EVERY);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
      abort.abort();
      begin(null);
      setWorking(null);
    };
  }, [busy, state]);
  if (!busy || since === null) return null;
  return (
    <div class="rg-progress">
      <div class="rg-row rg-progress__line">
        <p role="status">{stageOf(say, working, state.asking.value)}</p>
        {state.source.written?.value && <p class="rg-progress__written">{state.source.written.value}</p>}
        {state.trace.value && <p class="rg-note">{say("notice.below")}</p>}
        <p aria-hidden="true">{seconds} s</p>
        {state.cancel.value && (
          <button type="button" class="rg-button" onClick={() => state.cancel.value?.()}>{say("notice.cancel")}</button>
        )}
      </div>
    </div>
  );
}

export function stageOf(say: Say, working: Working | null, asked: TraceRequest | null): string {
  if (!working?.stage) return say("stage.running");
  if (asked && (working.text !== asked.text || working.model !== asked.model)) return say("stage.waiting");
  return working.most ? say("stage.token", { stage: translated(say, working.stage), token: working.done + 1, most: working.most }) : translated(say, working.stage);
}
