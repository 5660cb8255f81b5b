/** Why this word: for one step, what each input token was worth, which layer decided, which head pushed. */
import type { ComponentChildren } from "preact";
import type { Lens, Measures, TraceInfo } from "../source";
import type { State } from "../state";
import { rowOf } from "../generation/timeline";
import { askedAt } from "../said/said";
import { Choice } from "../weights/Choice";
import { useLoaded, type Loaded } from "../weights/loaded";
import { labelAt, markOf, type Style, tokenLabel } from "../weights/units";
import { axisWords, percent } from "../weights/words";
import { filled, useWords } from "../words/words";
import { Heads } from "./Heads";
import { Ranked } from "../weights/Ranked";
import { type Column, WordTable } from "../learn/pictures/WordTable";
import { tick } from "../weights/numbers";
import { rho } from "./terms";
import "./why.css";

interface PartProps {
  state: State;
  trace: TraceInfo;
  step: number;
  style: Style; // of the output's tokens
}

export function Why(part: PartProps) {
  const say = useWords();
  const word = wordOf(part);
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
  const own = trace.generation?.axis;
  const loaded = useLoaded(JSON.stringify([trace.id, step, axis]), (signal) => state.source.measures(trace.id, step, axis, signal));
  const styleOf = ({ tokens }: Measures) => (axis === own ? style : markOf(tokens));
  return (
    <Frame
      what="tokens"
      loaded={loaded}
      choice={read.length > 1 && <Choice name={say("why.axis")} options={read.map((each) => [each, each === own ? say("why.sofar") : axisWords(say, each)])} value={axis} onChoose={(each) => (state.measured.value = each)} />}
    >
      {(value) => (
        <>
          <Worth measures={value} word={wordOf({ trace, step, style })} style={styleOf(value)} />
          <MeasureTable measures={value} style={styleOf(value)} />
        </>
      )}
    </Frame>
  );
}

/** The token of a step, and the word that it is a part of. */
function wordOf({ trace, step, style }: Pick<PartProps, "trace" | "step" | "style">): string {
  const token = tokenLabel(trace.generation?.steps[step]?.token ?? "", style);
  const axis = trace.axes[trace.generation?.axis ?? ""];
  const word = axis && askedAt(axis, rowOf(axis.prompt, step) ?? -1, true)?.label;
  return word && word !== token && word.includes(token.replace(/^-/, "")) ? `${token} (${word})` : token;
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
  const loaded = useLoaded(JSON.stringify([trace.id, step]), (signal) => state.source.lens(trace.id, step, signal));
  return <Frame what="lens" loaded={loaded}>{(lens) => <Ladder lens={lens} style={style} />}</Frame>;
}

function Attributed({ state, trace, step, style }: PartProps) {
  const say = useWords();
  const own = trace.generation?.steps[step];
  const others = own?.candidates.filter((each) => each.id != null && each.token !== own.token) ?? [];
  const wanted = state.against.value;
  const against = others.some((each) => each.id === wanted) ? wanted : null;
  const loaded = useLoaded(JSON.stringify([trace.id, step, against]), (signal) => state.source.attribution(trace.id, step, against, signal));
  const options = [[-1, say("why.alone")], ...others.map((each) => [each.id as number, tokenLabel(each.token, style)])] as [number, string][];
  return (
    <Frame
      what="heads"
      loaded={loaded}
      choice={others.length > 0 && <Choice name={say("why.against")} options={options} value={against ?? -1} onChoose={(id) => (state.against.value = id < 0 ? null : id)} />}
    >
      {(attribution) => <Heads state={state} trace={trace} attribution={attribution} style={style} />}
    </Frame>
  );
}

interface FrameProps<T> {
  what: "tokens" | "lens" | "heads";
  loaded: Loaded<T>;
  choice?: ComponentChildren;
  children(value: T): ComponentChildren;
}

/** One of the three answers under its title, or why it is not here yet. */
function Frame<T>({ what, loaded: { value, loading, error }, choice, children }: FrameProps<T>) {
  const say = useWords();
  return (
    <section class="rg-stack rg-why__part" aria-label={say(`why.${what}`)} aria-busy={loading}>
      <h3 class="rg-section">
        {say(`why.${what}`)} <span class="rg-note">{say(`why.${what}.note`)}</span>
      </h3>
      {choice}
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      {!value && !error && <p class="rg-note" role="status">{say("why.computing", { what: say(`why.${what}`) })}</p>}
      {value && children(value)}
    </section>
  );
}

/** The sequences that the output attends to, the source first. */
function axesRead(trace: TraceInfo): string[] {
  const read = trace.taps.filter((tap) => tap.queries === trace.generation?.axis);
  const cross = read.filter((tap) => tap.kind === "cross");
  return [...new Set([...cross, ...read].map((tap) => tap.keys))];
}

const SHOWN = 4;

function Ladder({ lens, style }: { lens: Lens; style: Style }) {
  const say = useWords();
  const word = tokenLabel(lens.token, style);
  return (
    <ol class="rg-why__ladder">
      {lens.layers.map(({ layer, probability, rank, candidates }) => (
        <li key={layer} class="rg-why__rung">
          <span class="rg-note">{layer === 0 ? say("why.embedding") : say("why.after", { layer: layer - 1 })}</span>
          <span class="rg-why__likely">
            {word} <span class="rg-number">{say("why.rank", { share: percent(probability), rank: rank.toLocaleString("en") })}</span>
          </span>
          <Ranked inline rows={candidates.slice(0, SHOWN).map((each) => ({ label: tokenLabel(each.token, style), share: each.probability, own: each.token === lens.token }))} />
        </li>
      ))}
    </ol>
  );
}

function MeasureTable({ measures: { tokens, measures }, style }: { measures: Measures; style: Style }) {
  const say = useWords();
  const named = (name: Measures["measures"][number]["name"]) => (name === "hiding" ? "Δp" : say(name === "weight" || name === "norm" ? name : `why.${name}`));
  const columns = measures.map(({ name, values, correlation }): Column => {
    const most = Math.max(...values.map(Math.abs)) || 1;
    return {
      title: (
        <span>
          {named(name)}
          {name !== "hiding" && <strong class="rg-number"> ρ {rho(correlation)}</strong>}
        </span>
      ),
      look: "number",
      cell: (row) => tick(Number((values[row] ?? 0).toPrecision(2))),
      says: (row) => ({ class: `rg-number rg-behind${(values[row] ?? 0) < 0 ? " rg-behind--less" : ""}`, style: { "--part": `${(100 * Math.abs(values[row] ?? 0)) / most}%` } }),
    };
  });
  return (
    <>
      <div class="rg-why__scroll" tabIndex={0} role="region" aria-label={say("why.table")}>
        <WordTable look="rg-why__table" label={say("why.table")} corner={say("group.token")} words={tokens.map((_, i) => labelAt(tokens, i, style))} columns={columns} spotlight={-1} />
      </div>
      {measures.map(({ name }) => <p key={name} class="rg-note"><b>{named(name)}</b>: {say(`why.measure.${name}`)}</p>)}
      <p class="rg-note">{say("why.rho")}</p>
    </>
  );
}
