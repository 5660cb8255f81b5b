/** What the reader changed, and the output before and after: words, heads and edges that are off, words that
 * look elsewhere, a forced beginning. */
import type { TraceInfo } from "../source";
import { made, restore, restored, type State } from "../state";
import { useLoaded } from "../weights/loaded";
import { percent } from "../weights/words";
import { useWords } from "../words/words";
import "./changed.css";
import { chipsOf, lookOf, pullsOf, type Chip } from "./parts";
import { bringBack, looks, off } from "./switch";

/** `next`: what would be written, while a word is pulled; `always`: the line of the output is there from the
 * beginning, so that nothing moves when something is changed. */
export function Changed({ state, trace, next = null, always = false }: { state: State; trace: TraceInfo; next?: TraceInfo | null; always?: boolean }) {
  const say = useWords();
  const request = restored(state);
  const begins = state.request.value?.forced_beginning?.length ?? 0;
  const forced = looks(state).some((name) => lookOf(name)?.query === begins) ? 0 : begins; // a pull keeps what stands before it
  const [chips, pulls] = [chipsOf(say, off(state), trace), pullsOf(say, looks(state), trace)];
  const count = chips.length + pulls.length;
  const key = (count || forced) && request ? JSON.stringify(request) : null;
  const { value: whole, error } = useLoaded(key, (signal) => made(state, request as NonNullable<typeof request>, signal));
  if (!count && !forced && !next && !always) return null;
  const before = count || forced ? whole : next && trace;
  const now = next ?? trace;
  const parts = before ? changed(textOf(before), textOf(now)) : null;
  const same = parts !== null && textOf(before as TraceInfo) === textOf(now);
  const chip = ({ names, label, title }: Chip, back: string) => (
    <li key={names.join()}>
      <button
        type="button"
        class="rg-chip rg-changed__chip"
        title={`${title}; ${back}`}
        aria-label={`${back} ${label}`}
        disabled={!request || state.busy.value}
        onClick={() => void bringBack(state, names)}
      >
        {label} <span aria-hidden="true">×</span>
      </button>
    </li>
  );
  return (
    <section class={`rg-row rg-changed${always ? " rg-changed--always" : ""}`} aria-label={say("changed")} aria-busy={state.busy.value}>
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      {parts && !same && <Line name={say("changed.before")} parts={parts.before} mark="del" />}
      <Line name={say("changed.now")} live parts={parts?.after ?? [{ text: textOf(now), changed: false }]} mark="ins" note={same ? say("changed.same") : ""} />
      {[{ name: say("off"), about: say("changed.off.list"), list: chips, back: say("changed.back") }, { name: say("changed.pulled"), about: say("changed.pulled"), list: pulls, back: say("changed.go") }].map(
        ({ name, about, list, back }) => list.length > 0 && (
          <div key={name}>
            <span class="rg-note rg-changed__name">{name}</span>
            <ul class="rg-row" aria-label={about}>{list.map((each) => chip(each, back))}</ul>
          </div>
        ),
      )}
      {request && count > 1 && <Everything state={state} name={say("changed.all")} />}
      {request && forced > 0 && count < 2 && <Everything state={state} name={say("changed.own")} />}
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

function textOf({ generation, labels }: TraceInfo): string {
  const [best] = labels ?? [];
  return best ? `${best.token} ${percent(best.probability)}` : (generation?.hypotheses[generation.shown]?.text ?? "");
}

interface LineProps {
  name: string;
  live?: boolean; // announced when it changes
  parts: Part[];
  mark: "del" | "ins";
  note?: string;
}

function Line({ name, live, parts, mark: Mark, note = "" }: LineProps) {
  return (
    <p class="rg-changed__line" aria-live={live ? "polite" : undefined}>
      <span class="rg-note rg-changed__name">{name}</span>
      <span>
        {parts.map(({ text, changed: differs }, i) => {
          const bare = text.trimStart();
          return (
            <span key={i}>
              {text.slice(0, text.length - bare.length)}
              {differs ? <Mark>{bare}</Mark> : bare}
            </span>
          );
        })}
        {note && <span class="rg-note"> {note}</span>}
      </span>
    </p>
  );
}

interface Part {
  text: string; // of the sentence, as it stands there
  changed: boolean;
}

/** Both sentences in parts; the words they share in order, as many as can be, are unchanged. */
export function changed(before: string, after: string): { before: Part[]; after: Part[] } {
  const [one, other] = [words(before), words(after)];
  const longest = shared(one, other);
  const [kept, keptOther] = [new Set<number>(), new Set<number>()];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (same(one[i], other[j])) {
      kept.add(i++);
      keptOther.add(j++);
    } else if (at(longest, i + 1, j) >= at(longest, i, j + 1)) i++;
    else j++;
  }
  return { before: joined(one, kept), after: joined(other, keptOther) };
}

/** Words and marks of punctuation, each with the space before it. */
const words = (text: string): string[] => text.trim().match(/\s*(?:[\p{L}\p{M}\p{N}]+|\S)/gu) ?? [];
const same = (one = "", other = "") => one.trim() === other.trim();
const at = (table: number[][], i: number, j: number) => table[i]?.[j] ?? 0;

/** Number of words that the ends from i and from j share in order. */
function shared(one: string[], other: string[]): number[][] {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      (table[i] as number[])[j] =
        same(one[i], other[j]) ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
  return table;
}

function joined(all: string[], kept: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  all.forEach((word, i) => {
    const differs = !kept.has(i);
    const last = parts.at(-1);
    if (last && last.changed === differs) last.text += word;
    else parts.push({ text: word, changed: differs });
  });
  return parts;
}
