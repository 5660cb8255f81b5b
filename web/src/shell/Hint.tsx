/** The first three steps on the page; shown once. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { TraceInfo } from "../source";
import type { State } from "../state";
import { useWords, type Say } from "../words/words";

const SEEN = "regard.hint";

export function Hint({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const shown = useSignal(useMemo(() => !seen(), []));
  if (!shown.value || !state.source.abilities.trace) return null;
  return (
    <aside class="rg-hint" aria-label={say("hint.steps")}>
      <ol class="rg-row rg-hint__steps">
        {steps(trace, say).map(([lead, rest]) => (
          <li key={lead}>
            <strong>{lead}</strong> {rest}
          </li>
        ))}
      </ol>
      <button type="button" class="rg-button rg-button--bare" onClick={() => (shown.value = false)}>{say("hint.got")}</button>
    </aside>
  );
}

function steps({ task, taps }: TraceInfo, say: Say): [string, string][] {
  const pulls = task === "translation" && taps.some((tap) => tap.kind === "cross");
  const writes = task === "generation" || task === "translation";
  return [
    ...(task === "vision" ? [] : [[say("hint.write"), say("hint.enter")] as [string, string]]),
    [say("hint.point"), say("hint.line")],
    pulls ? [say("hint.strike"), say("hint.pull")] : writes ? [say("hint.force"), say("hint.goes")] : [say("hint.view"), say("hint.same")],
  ];
}

/** True from the second time on; a browser may refuse to keep that, then never. */
function seen(): boolean {
  try {
    const before = localStorage.getItem(SEEN);
    localStorage.setItem(SEEN, "1");
    return before !== null;
  } catch {
    return false;
  }
}
