/** The first three steps on the page; shown once. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TraceInfo } from "../source";
import type { State } from "../state";

const SEEN = "regard.hint";

export function Hint({ state, trace }: { state: State; trace: TraceInfo }) {
  const shown = useSignal(!seen());
  useEffect(() => {
    if (shown.value) remember();
  }, []);
  if (!shown.value || !state.source.abilities.trace) return null;
  return (
    <aside class="rg-hint" aria-label="first steps">
      <ol class="rg-hint__steps">
        {steps(trace).map(([lead, rest]) => (
          <li key={lead}>
            <strong>{lead}</strong> {rest}
          </li>
        ))}
      </ol>
      <button type="button" class="rg-button rg-button--bare" onClick={() => (shown.value = false)}>got it</button>
    </aside>
  );
}

function steps({ task, taps }: TraceInfo): [string, string][] {
  const last: [string, string] =
    task === "translation" && taps.some((tap) => tap.kind === "cross")
      ? ["Strike a word out", "with its ×, or pull a ribbon by its ring to another word: the translation is written again."]
      : task === "generation" || task === "translation"
        ? ["Choose another word", "in the generation view: the model goes on from it."]
        : ["Change the view:", "the same weights as a map, as lines, or two side by side."];
  return [
    ["Write a sentence", "and press Enter."],
    ["Point at a word:", "the line above the picture says what it looked at; a click shows every number."],
    last,
  ];
}

/** A browser may refuse to keep anything, then it is shown each time. */
function seen(): boolean {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(SEEN, "1");
  } catch {
    // shown again
  }
}
