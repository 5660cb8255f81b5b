/** What the output was before words were struck out or forced, beside what it is now. */
import type { TraceInfo } from "../source";
import { made, restore, restored, type State } from "../state";
import { useLoaded } from "../weights/loaded";
import { changed, type Part } from "./changed";

export function Struck({ state, trace }: { state: State; trace: TraceInfo }) {
  const request = restored(state);
  const { hidden = [], forced_beginning: forced = [] } = state.request.value ?? {};
  const changes = hidden.length + forced.length;
  const key = changes && request ? JSON.stringify(request) : null;
  const { value: whole, error } = useLoaded(key, (signal) => made(state, request as NonNullable<typeof request>, signal));
  if (!changes) return null;
  const parts = whole ? changed(textOf(whole), textOf(trace)) : null;
  return (
    <section class="rg-struck" aria-label="what changed" aria-busy={state.busy.value}>
      {error && <p class="rg-views__error" role="alert">{error}</p>}
      {parts && <Line name="before" parts={parts.before} mark="del" />}
      <Line name="now" parts={parts?.after ?? [{ text: textOf(trace), changed: false }]} mark="ins" />
      <button type="button" class="rg-button" disabled={state.busy.value} onClick={() => void restore(state)}>
        {forced.length ? "let the model choose" : `restore ${hidden.length === 1 ? "the word" : "all words"}`}
      </button>
    </section>
  );
}

function textOf({ generation }: TraceInfo): string {
  return generation?.hypotheses[generation.shown]?.text ?? "";
}

function Line({ name, parts, mark: Mark }: { name: string; parts: Part[]; mark: "del" | "ins" }) {
  return (
    <p class="rg-struck__line" aria-live={name === "now" ? "polite" : undefined}>
      <span class="rg-struck__name">{name}</span>
      <span class="rg-struck__text">
        {parts.map(({ text, changed: differs }, i) => {
          const bare = text.trimStart();
          return (
            <span key={i}>
              {text.slice(0, text.length - bare.length)}
              {differs ? <Mark>{bare}</Mark> : bare}
            </span>
          );
        })}
      </span>
    </p>
  );
}
