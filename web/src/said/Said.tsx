/** The plain sentence above the picture, which follows the pointer. */
import { useEffect, useMemo } from "preact/hooks";
import { rowOf, stepShown } from "../generation/timeline";
import { strongestCell } from "../flow/locks";
import { pulled, rewrites, showing, strike } from "../off/switch";
import { Menu, MenuItem } from "../shell/Menu";
import type { AxisInfo, TapInfo, TraceInfo } from "../source";
import { force, stepOf, type State } from "../state";
import { pointsOf } from "../translation/needed";
import { spelling } from "../translation/pull";
import { useLoaded } from "../weights/loaded";
import { fetchRows } from "../weights/matrix";
import { isSpecial, knows, markOf, tokenLabel, units, type Span, type Unit } from "../weights/units";
import { percent } from "../weights/words";
import { filled, useWords } from "../words/words";
import { askedAt, asks, labeled, said, split, telling, type Asked, type Said as Sentence } from "./said";
import "./said.css";

const WHOLE = 1 << 16; // cells of a map that is held whole, so that the sentence follows at once
const WIDEST = 1 << 13; // columns of a row

export function Said({ state, trace, tap }: { state: State; trace: TraceInfo; tap: TapInfo }) {
  const say = useWords();
  const head = state.head.value;
  const [queries, keys] = [trace.axes[tap.queries] as AxisInfo, trace.axes[tap.keys] as AxisInfo];
  const whole = tap.rows * tap.columns <= WHOLE;
  const writes = trace.generation?.axis === tap.queries;
  const pointed = query(state, trace, tap) ?? (queries.image ? 0 : null);
  const asked = pointed === null ? null : labeled(trace, queries, askedAt(queries, pointed, writes));
  const rows = whole ? { first: 0, end: tap.rows } : (asked?.rows ?? null);
  const key = rows && tap.columns <= WIDEST ? JSON.stringify([trace.id, tap.name, head, rows]) : null;
  const { now: map } = useLoaded(key, (signal) => fetchRows(state.source, trace.id, tap, head, "weight", rows as NonNullable<typeof rows>, signal));
  const from = rows?.first ?? 0; // row of the text that is the map's first
  const first = useMemo(() => (map && whole ? telling(asks(queries, writes), split(keys), [map], queries === keys) : null), [map]);
  const spoken = asked ?? first?.asked ?? null;
  useEffect(() => {
    state.word.value = spoken && { ...spoken, axis: tap.queries };
  }, [spoken?.label, spoken?.rows.first, tap.queries, trace.id]);
  const sentence = map && spoken ? said(spoken, keys, map, from, state.sinkless.value) : null;
  const why = state.source.abilities.why && trace.can_ablate && sentence?.asked.deed === "write";
  const step = why ? stepOf(state, tap, sentence.asked.rows.first) : null;
  const ask = () => {
    state.step.value = step;
    state.drawer.value = "why";
  };
  const cell = (looked: Span) => {
    const rows = spoken && { first: spoken.rows.first - from, end: spoken.rows.end - from };
    const at = map && rows && strongestCell(map, rows, looked);
    if (!at) return;
    state.focus.value = { ...at, query: at.query + from };
    state.drawer.value = "cell";
  };
  return (
    <div class="rg-said">
      {sentence && <Words state={state} trace={trace} tap={tap} sentence={sentence} by={head === "mean" ? say("said.model") : say("said.head", { head, layer: tap.layer })} onAsk={cell} />}
      {" "}
      {step !== null && (
        <button type="button" class="rg-link rg-said__why" title={say("said.why.title")} onClick={ask}>
          {say("said.why")}
        </button>
      )}
    </div>
  );
}

/** The row under the pointer; else of the word that the drawer is of, in focus, or in question at the last change. */
function query(state: State, trace: TraceInfo, tap: TapInfo): number | null {
  const { generation } = trace;
  const pointed = state.about.value ?? state.hover.value;
  const ofWord = state.drawer.value === "word" || state.drawer.value === "why";
  if (!pointed && ofWord && generation && tap.queries === generation.axis) return rowOf(trace.axes[generation.axis]?.prompt ?? 0, stepShown(state, generation));
  const { value: changed } = state.changed;
  return (pointed ?? state.focus.value)?.query ?? (changed?.axis === tap.queries ? changed.rows.first : null);
}

interface WordsProps {
  state: State;
  trace: TraceInfo;
  tap: TapInfo;
  sentence: Sentence;
  by: string;
  onAsk(looked: Span): void;
}

/** A sentence whose words are its controls: others to write, what to strike or pull to, the equation. */
function Words({ state, trace, tap, sentence, by, onAsk }: WordsProps) {
  const say = useWords();
  const { asked, looks, special } = sentence;
  const able = rewrites(state) && !state.busy.value;
  const named = looks.map((looked, i) => (
    <span key={looked.label}>
      {i > 0 && say(special ? "said.ofWords" : "said.and")}
      {able ? <Looked state={state} trace={trace} tap={tap} asked={asked} looked={looked} /> : <strong>{bare(looked.label)}</strong>}{" "}
      <span style={{ whiteSpace: "nowrap" }}>(<button type="button" class="rg-said__control" title={say("said.number")} onClick={() => onAsk(looked)}>{percent(looked.share)}</button>)</span>
    </span>
  ));
  const needed = state.needs.value.filter(({ row }) => row === asked.rows.first).map(({ key, label, change, looked }, i) => (
    <span key={key}>
      {i > 0 && say("said.and")}
      <strong class="rg-said__needed">{bare(label)}</strong> ({say("said.points", { change: pointsOf(change), share: percent(looked) })})
    </span>
  ));
  const needs = needed.length > 0 && filled(say("said.needed"), { needs: needed });
  return <>{filled(say(`said.${asked.deed}${special ? ".mostly" : ""}`), { word: <Written state={state} trace={trace} tap={tap} asked={asked} able={able} />, who: by, looks: named, needs })}</>;
}

/** What was written; opens what else the step might have written. */
function Written({ state, trace, tap, asked, able }: Pick<WordsProps, "state" | "trace" | "tap"> & { asked: Asked; able: boolean }) {
  const say = useWords();
  const step = asked.deed === "write" ? stepOf(state, tap, asked.rows.first) : null;
  const { candidates = [], id = null } = (step !== null && trace.generation?.steps[step]) || {};
  const others = candidates.filter((each) => each.id != null && each.id !== id);
  if (!able || step === null || !others.length) return <strong>{bare(asked.label)}</strong>;
  const style = markOf(trace.axes[tap.queries]?.tokens ?? []);
  return (
    <Menu label={<strong>{bare(asked.label)}</strong>} look="rg-said__control" title={say("said.other")}>
      {others.map(({ token, probability, id: other }) => (
        <MenuItem key={other} onChoose={() => void force(state, step, other as number)}>
          {tokenLabel(token, style)} <span class="rg-number">{percent(probability)}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}

/** A word that was looked at; opens what can be done about it. */
function Looked({ state, trace, tap, asked, looked }: Pick<WordsProps, "state" | "trace" | "tap"> & { asked: Asked; looked: Unit }) {
  const say = useWords();
  const { axes } = trace;
  const [queries, keys] = [axes[tap.queries] as AxisInfo, axes[tap.keys] as AxisInfo];
  const pull = (unit: Unit) => {
    const request = pulled(state, spelling(asked.rows, queries.predicts ?? [])[0] ?? 0, spelling(unit, keys.tokens));
    if (request) void showing(state, request);
  };
  const others = tap.kind === "cross" ? units(keys, knows(keys, "word") ? "word" : "token").filter((unit) => unit.first !== looked.first && !unit.special) : [];
  return (
    <Menu label={<strong>{bare(looked.label)}</strong>} look="rg-said__control" title={say("said.change")}>
      {!looked.special && <MenuItem onChoose={() => void strike(state, tap.keys, looked)}>{say("said.strike", { word: bare(looked.label) })}</MenuItem>}
      {others.map((unit) => (
        <MenuItem key={unit.first} onChoose={() => pull(unit)}>{say("said.instead", { word: bare(unit.label) })}</MenuItem>
      ))}
    </Menu>
  );
}

/** A word without the marks after it; a special token stays whole. */
const bare = (label: string): string => isSpecial(label) ? label : label.replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}\p{M}]+$/u, "");
