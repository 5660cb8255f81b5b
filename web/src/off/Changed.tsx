/** Parts that are switched off, and the output before and after: words, heads, edges, a forced beginning. */
import type { TraceInfo } from "../source";
import { made, restore, restored, type State } from "../state";
import { useLoaded } from "../weights/loaded";
import "./changed.css";
import { chipsOf } from "./parts";
import { bringBack, off } from "./switch";
import { changed, type Part } from "./words";

export function Changed({ state, trace }: { state: State; trace: TraceInfo }) {
  const request = restored(state);
  const forced = state.request.value?.forced_beginning?.length ?? 0;
  const chips = chipsOf(off(state), trace);
  const key = (chips.length || forced) && request ? JSON.stringify(request) : null;
  const { value: whole, error } = useLoaded(key, (signal) => made(state, request as NonNullable<typeof request>, signal));
  if (!chips.length && !forced) return null;
  const parts = whole ? changed(textOf(whole), textOf(trace)) : null;
  const same = parts !== null && textOf(whole as TraceInfo) === textOf(trace);
  return (
    <section class="rg-changed" aria-label="what changed" aria-busy={state.busy.value}>
      {chips.length > 0 && (
        <div class="rg-changed__off">
          <span class="rg-changed__name">off</span>
          <ul class="rg-changed__chips" aria-label="switched off">
            {chips.map(({ names, label, title }) => (
              <li key={names.join()}>
                <button
                  type="button"
                  class="rg-changed__chip"
                  title={`${title}; bring it back`}
                  aria-label={`bring back ${label}`}
                  disabled={!request || state.busy.value}
                  onClick={() => void bringBack(state, names)}
                >
                  {label} <span aria-hidden="true">×</span>
                </button>
              </li>
            ))}
          </ul>
          {request && chips.length > 1 && <Everything state={state} name="bring everything back" />}
        </div>
      )}
      {error && <p class="rg-views__error" role="alert">{error}</p>}
      {parts && !same && <Line name="before" parts={parts.before} mark="del" />}
      <Line name="now" parts={parts?.after ?? [{ text: textOf(trace), changed: false }]} mark="ins" note={same ? "as before" : ""} />
      {request && forced > 0 && chips.length < 2 && <Everything state={state} name="let the model choose" />}
    </section>
  );
}

function Everything({ state, name }: { state: State; name: string }) {
  return (
    <button type="button" class="rg-button" disabled={state.busy.value} onClick={() => void restore(state)}>
      {name}
    </button>
  );
}

function textOf({ generation }: TraceInfo): string {
  return generation?.hypotheses[generation.shown]?.text ?? "";
}

interface LineProps {
  name: string;
  parts: Part[];
  mark: "del" | "ins";
  note?: string;
}

function Line({ name, parts, mark: Mark, note = "" }: LineProps) {
  return (
    <p class="rg-changed__line" aria-live={name === "now" ? "polite" : undefined}>
      <span class="rg-changed__name">{name}</span>
      <span class="rg-changed__text">
        {parts.map(({ text, changed: differs }, i) => {
          const bare = text.trimStart();
          return (
            <span key={i}>
              {text.slice(0, text.length - bare.length)}
              {differs ? <Mark>{bare}</Mark> : bare}
            </span>
          );
        })}
        {note && <span class="rg-changed__note"> {note}</span>}
      </span>
    </p>
  );
}
