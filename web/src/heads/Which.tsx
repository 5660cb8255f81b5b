/** Which head? A row for each, token by token, ranked for the word in question, with the word that it looks at most. */
import { batch, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { beside, chosen, slotsOf } from "../flow/heads";
import { usePixels } from "../map/pixels";
import { headName } from "../off/parts";
import { off } from "../off/switch";
import { split } from "../said/said";
import type { AxisInfo, Head, HeadInfo, TapInfo, TraceInfo } from "../source";
import { lookAt, type Position, type State } from "../state";
import { Choice } from "../weights/Choice";
import { Ranked } from "../weights/Ranked";
import { useLoaded } from "../weights/loaded";
import { fitsWhole } from "../weights/matrix";
import { count } from "../weights/numbers";
import { labelAt, markOf, unitAt } from "../weights/units";
import { along } from "../weights/WordRow";
import { headWords, percent } from "../weights/words";
import { filled, useWords } from "../words/words";
import { overviewOf, type Answer } from "./overview";
import { Find } from "./Find";
import { described, lookOf, lookOfLong, ranked, sunk, type Look } from "./which";
import "./which.css";

const GROUPS = [
  ["encoder", "self"],
  ["decoder", "self"],
  ["decoder", "cross"],
] as const;
const MOST = 96; // rows
const BEST = 24; // of them for a cell
const SETTLED = 200; // ms on a word of a long text, until its heads are asked
const LARGEST = 16; // weights of a row of a long text

export function Which({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const tap = state.tap.value;
  const layers = (side?: string, kind?: string) => trace.taps.filter((each) => each.side === side && each.kind === kind).sort((a, b) => a.layer - b.layer);
  const shown = layers(tap?.side, tap?.kind);
  const word = state.word.value?.axis === tap?.queries ? state.word.value : null;
  const keys = tap && state.toward.value !== null && fitsWhole(tap) ? split(trace.axes[tap.keys] as AxisInfo) : [];
  const toward = keys[unitAt(keys, state.toward.value ?? 0)]?.label;
  const long = tap !== null && !fitsWhole(tap) && state.source.between && !trace.axes[tap.keys]?.peaks; // in time there are no words to find
  const pair = long ? pairIn(state, shown.length * (tap.heads + 1) > MOST) : null;
  const across = useBetween(state, trace, tap, pair);
  const all = ranked(useLooks(state, trace, shown, pair !== null));
  const rows = all.filter((each, at) => at < MOST || isCurrent(state, each));
  const { stop, onFocusIn } = useStop(rows.map(keyOf), keyOf({ tap: tap as TapInfo, head: state.head.value }));
  if (!tap) return <p class="rg-which">{say("which.none")}</p>;
  const choose = ({ tap: next, head, best }: Look, several: boolean) =>
    batch(() => {
      if (several && state.view.value === "sentence" && next.name === tap.name) beside(state, head);
      else lookAt(state, next, head);
      if (word && best) state.focus.value = { query: word.rows.first, key: best.position };
    });
  const groups = GROUPS.filter(([side, kind]) => layers(side, kind).length);
  const sink = sunk(say, all);
  const best = (across.now ?? []).map((look) => {
    const at = trace.taps.find(({ name }) => name === look.tap) as TapInfo;
    return { label: `${at.layer}·${look.head}`, share: look.weight, own: tap === at && state.head.value === look.head, onChoose: () => lookAt(state, at, look.head) };
  });
  const named = (axis: string, position: number) => <strong>{labelOf(trace.axes[axis], position)} <span class="rg-note">{count(position)}</span></strong>;
  const asked = pair ? <>{named(tap.queries, pair.query)} → {named(tap.keys, pair.key)}</> : word && !(long && all.length > MOST) && <strong>{toward ? `${word.label} → ${toward}` : word.label}</strong>;
  const [drawn, of] = pair ? [best.length, all.filter(({ head }) => head !== "mean").length] : [rows.length, all.length];
  const flows = word && state.view.value === "sentence" && tap.kind === "self" && trace.task !== "vision" && fitsWhole(tap);
  const answers = overviewOf(state, trace.id);
  return (
    <nav class="rg-which" aria-label={say("which")} onKeyDown={walk} onFocusIn={onFocusIn}>
      {groups.length > 1 && (
        <Choice
          name={say("which.kind")}
          label=""
          look="joined"
          options={groups.map(([side, kind], at) => [at, say(`which.${kind === "cross" ? kind : side}`)])}
          value={groups.findIndex(([side, kind]) => side === tap.side && kind === tap.kind)}
          onChoose={(at) => {
            const there = layers(...(groups[at] as (typeof groups)[number]));
            lookAt(state, there[Math.min(tap.layer, there.length - 1)] as TapInfo, state.head.value);
          }}
        />
      )}
      {long && <Find state={state} trace={trace} tap={tap} />}
      <h2 class="rg-which__title">{asked ? filled(say("which.for"), { word: asked }) : say(long ? "key.find" : "which.point")} <span class="rg-note">{say("which.place")}{word && !toward && !pair && `; ${say("which.far")}`}{state.sinkless.value && `; ${say("which.sinkless")}`}</span></h2>
      {across.error && <p class="rg-note rg-note--error" role="alert">{across.error}</p>}
      {pair ? <Ranked rows={best} /> : (
        <ul class="rg-which__looks">
          {rows.map((look) => (
            <Row key={keyOf(look)} state={state} look={look} info={infoOf(answers.of(look.tap.name).value, look)} stop={keyOf(look) === stop} onChoose={(several) => choose(look, several)} />
          ))}
        </ul>
      )}
      <p class="rg-note">
        {[(pair || sink) && !state.sinkless.value && `s: ${say("key.sink")}`, flows && !toward && say("which.toward"), sink, drawn < of && say("which.rows", { count: drawn, of: count(of) })].filter(Boolean).join("; ")}
      </p>
    </nav>
  );
}

/** The cell of a long text that all heads are asked about: the one in focus, unless a sentence has few enough heads to ask for its row. */
function pairIn({ focus, toward, view }: State, many: boolean): Position | null {
  if (!focus.value || (toward.value === null && view.value === "sentence" && !many)) return null;
  return { query: focus.value.query, key: toward.value ?? focus.value.key };
}

const labelOf = (axis: AxisInfo | undefined, position: number) => labelAt(axis?.tokens ?? [], position, markOf(axis?.tokens.slice(0, 1000) ?? []));

/** The heads with most weight at a cell, of all layers. */
function useBetween({ source, sinkless }: State, trace: TraceInfo, tap: TapInfo | null, pair: Position | null) {
  const asked = { tap: tap?.name as string, ...(pair as Position), count: BEST, sink: !sinkless.value };
  return useLoaded(pair && JSON.stringify([tap?.queries, tap?.keys, pair, asked.sink]), async (signal) => (await source.between?.(trace.id, asked, signal)) ?? []);
}

/** Rows of these layers' heads, and of their mean, for the word in question; `across`: a cell is asked about instead. */
function useLooks(state: State, trace: TraceInfo, layers: readonly TapInfo[], across: boolean): Look[] {
  const answers = overviewOf(state, trace.id);
  const [first] = layers;
  const short = first !== undefined && fitsWhole(first);
  const word = state.word.value?.axis === first?.queries ? state.word.value : null;
  const toward = state.toward.value;
  const axis = first && (trace.axes[first.keys] as AxisInfo);
  const within = first?.queries === first?.keys;
  const places = layers.flatMap((tap) => [...Array.from({ length: tap.heads }, (_, head): Head => head), ...(tap.heads > 1 ? ["mean" as const] : [])].map((head) => ({ tap, head })));
  useEffect(() => {
    for (const tap of layers) if (short || tap.name === state.tapName.value) answers.want(tap);
  }, [answers, first?.name, short, state.tapName.value]);
  const sinkless = state.sinkless.value;
  const asked = word && !short && !across && places.length <= MOST ? JSON.stringify([first?.name, word.rows]) : null;
  const { now: far } = useLoaded(asked, async (signal) => {
    await new Promise((done) => setTimeout(done, SETTLED));
    signal.throwIfAborted();
    const style = markOf((axis as AxisInfo).tokens.slice(0, 1000));
    return Promise.all(places.map(async ({ tap, head }) => {
      const looks = await state.source.looks(trace.id, { tap: tap.name, head, query: word?.rows.first ?? 0, k: LARGEST, quantity: "weight" }, signal);
      return lookOfLong(tap, head, looks, word as NonNullable<typeof word>, style, within, axis?.peaks?.length);
    }));
  });
  const here = layers.map((tap) => answers.of(tap.name).value);
  const none = { cells: null, best: null, special: "" };
  return useMemo(() => {
    if (!short) return far ?? places.map((place) => ({ ...place, ...none }));
    const keys = split(axis as AxisInfo);
    return places.map(({ tap, head }) => {
      const answer = here[layers.indexOf(tap)];
      return word && answer ? lookOf(tap, head, answer.thumbnails, word, keys, within, toward, sinkless) : { tap, head, ...none };
    });
  }, [trace, first?.name, word, toward, far, asked, sinkless, ...here]);
}

const keyOf = ({ tap, head }: Pick<Look, "tap" | "head">) => `${tap?.name} ${head}`;
const isCurrent = (state: State, { tap, head }: Look) => state.tapName.value === tap.name && state.head.value === head;

/** What is known of a head over the whole text. */
const infoOf = (answer: Answer, { head }: Look): HeadInfo | undefined => answer?.summary.heads.find((each) => each.head === head);

/** Up and down among the rows, which are one stop of the tab key. */
function walk(event: KeyboardEvent): void {
  const rows = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>(".rg-look")];
  const at = rows.findIndex((row) => row === event.target);
  const next = at < 0 ? null : along(event, at, rows.length, ["ArrowUp", "ArrowDown"]);
  if (next === null) return;
  event.preventDefault();
  event.stopPropagation();
  rows[next]?.focus();
}

/** The tab stop among buttons that have these keys as `data-key`: where the arrows have led, else what is current. */
function useStop(keys: readonly string[], current: string) {
  const walkedTo = useSignal("");
  useEffect(() => {
    walkedTo.value = "";
  }, [current]);
  const onFocusIn = ({ target }: FocusEvent) => {
    walkedTo.value = (target instanceof HTMLElement && target.dataset["key"]) || walkedTo.value;
  };
  return { stop: [walkedTo.value, current].find((key) => keys.includes(key)) ?? keys[0], onFocusIn };
}

interface RowProps {
  state: State;
  look: Look;
  info: HeadInfo | undefined;
  stop: boolean; // of the tab key
  onChoose(several: boolean): void;
}

function Row({ state, look, info, stop, onChoose }: RowProps) {
  const say = useWords();
  const { tap, head, cells, best, special } = look;
  const canvas = usePixels(cells, state.dark.value);
  const color = state.view.value === "sentence" && state.tapName.value === tap.name ? chosen(slotsOf(state)).find((each) => each.head === head)?.color : undefined;
  const words = best ? `${best.label} ${percent(best.share)}` : "";
  const name = `${say("layers.layer", { layer: tap.layer })}, ${headWords(say, head)}`;
  const title = [`${name}${words && `: ${words}`}${special && `, ${say("which.mostly", { token: special })}`}`, info && described(say, info), state.view.value === "sentence" && say("which.beside")];
  return (
    <li>
      <button
        type="button"
        class={`rg-look${off(state).includes(headName(tap.name, head)) ? " rg-look--off" : ""}`}
        data-key={keyOf(look)}
        tabIndex={stop ? 0 : -1}
        aria-current={isCurrent(state, look) || color !== undefined ? "true" : undefined}
        aria-label={words ? `${name}: ${words}` : name}
        title={title.filter(Boolean).join("\n")}
        style={color === undefined ? undefined : { "--line": `var(--rg-head-${color})` }}
        onClick={(event) => onChoose(event.shiftKey)}
      >
        <span class="rg-look__place rg-note rg-number">{tap.layer}·{head}</span>
        <canvas ref={canvas} class="rg-look__cells" width={1} height={1} />
        {best && <span class="rg-look__best rg-note"><span class="rg-cut">{best.label}</span> {percent(best.share)}</span>}
      </button>
    </li>
  );
}
