/** Why this word: for one step, what each input token was worth, which layer decided, which head pushed. */
import { leastCertain } from "../generation/timeline";
import type { Measures, TraceInfo } from "../source";
import type { State } from "../state";
import { Choice } from "../weights/Choice";
import { useLoaded } from "../weights/loaded";
import { labelAt, markOf, tokenLabel, type Style } from "../weights/units";
import { WordRow } from "../weights/WordRow";
import { useWords } from "../words/words";
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

export function Why({ state }: { state: State }) {
  const say = useWords();
  const trace = state.trace.value;
  const generation = trace?.generation;
  const axis = trace && generation ? trace.axes[generation.axis] : null;
  if (!trace || !generation || !axis || generation.steps.length === 0)
    return <p class="rg-note rg-note--empty">nothing was generated in this trace, so there is no word to ask about</p>;
  if (!state.source.abilities.why || !trace.can_ablate)
    return (
      <p class="rg-note rg-note--empty">
        why a word was written takes the model in Python, which is not here; look at the text with{" "}
        <kbd>regard studio</kbd>
      </p>
    );
  const chosen = state.step.value;
  const step = chosen !== null && chosen < generation.steps.length ? chosen : leastCertain(generation.steps);
  const part = { state, trace, step, style: markOf(axis.tokens) };
  const label = ({ token }: { token: string }) => tokenLabel(token, part.style);
  const word = tokenLabel(generation.steps[step]?.token ?? "", part.style);
  return (
    <section class="rg-views rg-why" aria-label="why this word">
      <header class="rg-views__head">
        <h2 class="rg-panel__title">{say("why.title", { word })}</h2>
        <WordRow name="the word to ask about" words={generation.steps.map(label)} chosen={step} titles={(i) => `step ${i + 1}: ${label(generation.steps[i] as { token: string })}`} onChoose={(index) => (state.step.value = index)} />
      </header>
      <div class="rg-why__parts">
        <Measured {...part} />
        <Lensed {...part} />
        <Attributed {...part} />
      </div>
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
    <section class="rg-stack" aria-label="input tokens" aria-busy={loading}>
      <h3 class="rg-section">
        {say("why.tokens")} <span class="rg-note">{say("why.tokens.note")}</span>
      </h3>
      {read.length > 1 && (
        <Choice
          name="tokens of the"
          options={read.map((each) => [each, each === trace.generation?.axis ? "output so far" : each])}
          value={axis}
          onChoose={(each) => (state.measured.value = each)}
        />
      )}
      <Status what="measures" empty={!value} error={error} />
      {value && <Worth measures={value} word={tokenLabel(trace.generation?.steps[step]?.token ?? "", style)} style={axis === trace.generation?.axis ? style : markOf(value.tokens)} />}
      {value && <MeasureTable measures={value} style={axis === trace.generation?.axis ? style : markOf(value.tokens)} />}
    </section>
  );
}

/** In words: the token that the word's probability lost most without. */
function Worth({ measures: { tokens, measures }, word, style }: { measures: Measures; word: string; style: Style }) {
  const changes = measures.find((each) => each.name === "hiding")?.values ?? [];
  const most = changes.reduce((best, change, i) => (change < (changes[best] ?? 0) ? i : best), 0);
  const points = Math.round(-100 * (changes[most] ?? 0));
  if (!changes.length) return null;
  if (points < 1)
    return (
      <p>
        Without any single one of these tokens, <strong>{word}</strong> would not be a percentage point less likely.
      </p>
    );
  return (
    <p>
      Without <strong>{labelAt(tokens, most, style)}</strong>, <strong>{word}</strong> would be {points} percentage point{points > 1 && "s"} less likely.
    </p>
  );
}

function Lensed({ state, trace, step, style }: PartProps) {
  const say = useWords();
  const { value, loading, error } = useLoaded(JSON.stringify([trace.id, step]), (signal) =>
    state.source.lens(trace.id, step, signal),
  );
  return (
    <section class="rg-stack" aria-label="logit lens" aria-busy={loading}>
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
    <section class="rg-stack" aria-label="direct logit attribution" aria-busy={loading}>
      <h3 class="rg-section">
        {say("why.heads")} <span class="rg-note">{say("why.heads.note")}</span>
      </h3>
      {others.length > 0 && (
        <Choice
          name="against"
          options={[[-1, "no other word"], ...others.map((each) => [each.id as number, tokenLabel(each.token, style)] as const)]}
          value={against ?? -1}
          onChoose={(id) => (state.against.value = id < 0 ? null : id)}
        />
      )}
      <Status what="attribution" empty={!value} error={error} />
      {value && <Heads state={state} trace={trace} attribution={value} style={style} />}
    </section>
  );
}

function Status({ what, empty, error }: { what: string; empty: boolean; error: string | null }) {
  if (error) return <p class="rg-note rg-note--error" role="alert">{error}</p>;
  return empty ? <p class="rg-note" role="status">computing the {what}</p> : null;
}

/** The sequences that the output attends to, the source first. */
function axesRead(trace: TraceInfo): string[] {
  const read = trace.taps.filter((tap) => tap.queries === trace.generation?.axis);
  const cross = read.filter((tap) => tap.kind === "cross");
  return [...new Set([...cross, ...read].map((tap) => tap.keys))];
}
