/** Why this word: for one step, what each input token was worth, which layer decided, which head pushed. */
import type { Measures, TraceInfo } from "../source";
import type { State } from "../state";
import { Choice } from "../weights/Choice";
import { useLoaded } from "../weights/loaded";
import { labelAt, markOf, tokenLabel, type Style } from "../weights/units";
import { axisWords } from "../weights/words";
import { filled, useWords, type Key } from "../words/words";
import { Heads } from "./Heads";
import { Ladder } from "./Ladder";
import { MeasureTable } from "./MeasureTable";
import "./why.css";

export interface PartProps {
  state: State;
  trace: TraceInfo;
  step: number;
  style: Style; // of the output's tokens
}

export function Why(part: PartProps) {
  const say = useWords();
  const word = tokenLabel(part.trace.generation?.steps[part.step]?.token ?? "", part.style);
  return (
    <section class="rg-stack" aria-label={say("why")}>
      <h2 class="rg-section">{say("why.title", { word })}</h2>
      <Measured {...part} />
      <Lensed {...part} />
      <Attributed {...part} />
    </section>
  );
}

function Measured({ state, trace, step, style }: PartProps) {
  const say = useWords();
  const read = axesRead(trace);
  const axis = read.includes(state.measured.value) ? state.measured.value : (read[0] ?? "");
  const { value, loading, error } = useLoaded(JSON.stringify([trace.id, step, axis]), (signal) =>
    state.source.measures(trace.id, step, axis, signal),
  );
  return (
    <section class="rg-stack rg-why__part" aria-label={say("why.tokens")} aria-busy={loading}>
      <h3 class="rg-section">
        {say("why.tokens")} <span class="rg-note">{say("why.tokens.note")}</span>
      </h3>
      {read.length > 1 && (
        <Choice
          name={say("why.axis")}
          options={read.map((each) => [each, each === trace.generation?.axis ? say("why.sofar") : axisWords(say, each)])}
          value={axis}
          onChoose={(each) => (state.measured.value = each)}
        />
      )}
      <Status what="tokens" empty={!value} error={error} />
      {value && <Worth measures={value} word={tokenLabel(trace.generation?.steps[step]?.token ?? "", style)} style={axis === trace.generation?.axis ? style : markOf(value.tokens)} />}
      {value && <MeasureTable measures={value} style={axis === trace.generation?.axis ? style : markOf(value.tokens)} />}
    </section>
  );
}

/** In words: the token that the word's probability lost most without. */
function Worth({ measures: { tokens, measures }, word, style }: { measures: Measures; word: string; style: Style }) {
  const say = useWords();
  const changes = measures.find((each) => each.name === "hiding")?.values ?? [];
  const most = changes.reduce((best, change, i) => (change < (changes[best] ?? 0) ? i : best), 0);
  const points = Math.round(-100 * (changes[most] ?? 0));
  if (!changes.length) return null;
  return <p>{filled(say(points < 1 ? "why.worthless" : "why.worth", { points }), { without: <strong>{labelAt(tokens, most, style)}</strong>, word: <strong>{word}</strong> })}</p>;
}

function Lensed({ state, trace, step, style }: PartProps) {
  const say = useWords();
  const { value, loading, error } = useLoaded(JSON.stringify([trace.id, step]), (signal) =>
    state.source.lens(trace.id, step, signal),
  );
  return (
    <section class="rg-stack rg-why__part" aria-label={say("why.lens")} aria-busy={loading}>
      <h3 class="rg-section">
        {say("why.lens")} <span class="rg-note">{say("why.lens.note")}</span>
      </h3>
      <Status what="lens" empty={!value} error={error} />
      {value && <Ladder lens={value} style={style} />}
    </section>
  );
}

function Attributed({ state, trace, step, style }: PartProps) {
  const say = useWords();
  const own = trace.generation?.steps[step];
  const others = own?.candidates.filter((each) => each.id != null && each.token !== own.token) ?? [];
  const wanted = state.against.value;
  const against = others.some((each) => each.id === wanted) ? wanted : null;
  const { value, loading, error } = useLoaded(JSON.stringify([trace.id, step, against]), (signal) =>
    state.source.attribution(trace.id, step, against, signal),
  );
  return (
    <section class="rg-stack rg-why__part" aria-label={say("why.heads")} aria-busy={loading}>
      <h3 class="rg-section">
        {say("why.heads")} <span class="rg-note">{say("why.heads.note")}</span>
      </h3>
      {others.length > 0 && (
        <Choice
          name={say("why.against")}
          options={[[-1, say("why.alone")], ...others.map((each) => [each.id as number, tokenLabel(each.token, style)] as const)]}
          value={against ?? -1}
          onChoose={(id) => (state.against.value = id < 0 ? null : id)}
        />
      )}
      <Status what="heads" empty={!value} error={error} />
      {value && <Heads state={state} trace={trace} attribution={value} style={style} />}
    </section>
  );
}

function Status({ what, empty, error }: { what: string; empty: boolean; error: string | null }) {
  const say = useWords();
  if (error) return <p class="rg-note rg-note--error" role="alert">{error}</p>;
  return empty ? <p class="rg-note" role="status">{say("why.computing", { what: say(`why.${what}` as Key) })}</p> : null;
}

/** The sequences that the output attends to, the source first. */
function axesRead(trace: TraceInfo): string[] {
  const read = trace.taps.filter((tap) => tap.queries === trace.generation?.axis);
  const cross = read.filter((tap) => tap.kind === "cross");
  return [...new Set([...cross, ...read].map((tap) => tap.keys))];
}
