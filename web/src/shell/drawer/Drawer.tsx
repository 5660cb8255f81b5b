/** What is asked about: a cell, with its equation, what can be switched off and its neighbors; or a word that was written. */
import { Word } from "../../generation/Word";
import type { Cell, Looked, TapInfo, TraceInfo } from "../../source";
import { lookAt, type Face, type Position, type State } from "../../state";
import { Choice } from "../../weights/Choice";
import { useLoaded } from "../../weights/loaded";
import { headWords } from "../../weights/words";
import { useWords } from "../../words/words";
import { Ablate, type CellProps } from "./Ablate";
import { Equation } from "./Equation";
import { useLabels } from "./labels";
import { focusOn } from "../../map/input/commands";
import { Ranked } from "../../weights/Ranked";

/** What can be asked of a trace besides the numbers of a cell. */
export function facesOf(state: State, trace: TraceInfo): ("word" | "why")[] {
  if (!trace.generation?.steps.length) return [];
  return state.source.abilities.why && trace.can_ablate ? ["word", "why"] : ["word"];
}

/** What the drawer is of; a link may ask for what is not here, and the sentence has no cell until one is chosen. */
export function faceOf(state: State): Face {
  const [{ value: face }, { value: trace }] = [state.drawer, state.trace];
  if (!trace || (face === "cell" && state.view.value === "sentence" && !state.focus.value)) return "";
  if (!face || face === "cell") return face;
  return facesOf(state, trace).find((each) => each === face) ?? facesOf(state, trace)[0] ?? "";
}

export function Drawer({ state, trace, face }: { state: State; trace: TraceInfo; face: Face }) {
  const say = useWords();
  const { generation } = trace;
  const name = say(`drawer.${face || "cell"}`);
  return (
    <aside class="rg-drawer" aria-label={name}>
      <div class="rg-panel__head">
        <h2 class="rg-panel__title">{name}</h2>
        <button type="button" class="rg-button rg-button--bare" title={say("drawer.close.title")} onClick={() => (state.drawer.value = "")}>
          {say("drawer.close")}
        </button>
      </div>
      {face === "cell" || !generation ? <Numbers state={state} trace={trace} /> : <Word state={state} trace={trace} generation={generation} why={face === "why"} />}
    </aside>
  );
}

function Numbers({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const tap = state.tap.value;
  const head = state.head.value;
  const focus = state.focus.value;
  const key = tap && focus && head !== "mean" ? [trace.id, tap.name, head, focus.query, focus.key].join(" ") : null;
  const { value: cell, error } = useLoaded<Cell>(key, (signal) =>
    state.source.cell(trace.id, tap?.name ?? "", head, focus?.query ?? 0, focus?.key ?? 0, signal),
  );
  if (!tap) return null;
  if (!focus) return <p class="rg-note">{say("drawer.click")}</p>;
  if (head === "mean") return <ChooseHead state={state} tap={tap} />;
  if (error) return <p class="rg-note" role="alert">{error}</p>;
  if (!cell) return <p class="rg-note" role="status">{say("drawer.loading")}</p>;
  const current = cell.tap === tap.name && cell.head === head && cell.query === focus.query && cell.key === focus.key;
  return (
    <div class="rg-drawer__body" aria-busy={!current}>
      <Pair trace={trace} tap={tap} cell={cell} />
      <Equation tap={tap} cell={cell} />
      {trace.can_ablate && state.source.abilities.ablate && <Ablate state={state} trace={trace} tap={tap} cell={cell} />}
      <Neighbors state={state} trace={trace} tap={tap} cell={cell} />
    </div>
  );
}

/** A mean over heads is no softmax of anything; each of its heads is. */
function ChooseHead({ state, tap }: { state: State; tap: TapInfo }) {
  const say = useWords();
  return (
    <div class="rg-stack rg-note">
      <p>{say("drawer.mean")}</p>
      <Choice name={say("head")} options={Array.from({ length: tap.heads }, (_, head) => [head, headWords(say, head)])} value={-1} onChoose={(head) => lookAt(state, tap, head)} />
    </div>
  );
}

function Pair({ trace, tap, cell }: { trace: TraceInfo; tap: TapInfo; cell: Cell }) {
  const say = useWords();
  const query = useLabels(trace.axes[tap.queries]);
  const key = useLabels(trace.axes[tap.keys]);
  const predicted = trace.axes[tap.queries]?.predicts?.[cell.query];
  return (
    <div class="rg-pair">
      <div class="rg-pair__side">
        <div class="rg-note">{say("query")} {cell.query}</div>
        <div class="rg-token rg-token--query rg-cut">{query(cell.query_token)}</div>
        {predicted !== undefined && <div class="rg-note">{say("drawer.predicts", { word: query(predicted) })}</div>}
      </div>
      <div class="rg-pair__side">
        <div class="rg-note">{say("key")} {cell.key}</div>
        <div class="rg-token rg-token--key rg-cut">{key(cell.key_token)}</div>
      </div>
    </div>
  );
}

function Neighbors({ state, trace, tap, cell }: CellProps) {
  const say = useWords();
  const query = useLabels(trace.axes[tap.queries]);
  const key = useLabels(trace.axes[tap.keys]);
  const row = (current: number, label: (token: string) => string, cellOf: (position: number) => Position) => ({ position, token, weight }: Looked) => ({
    label: label(token), share: weight, aside: position, own: position === current, onChoose: () => focusOn(state, cellOf(position)),
  });
  return (
    <>
      <section aria-labelledby="rg-row-title">
        <h3 class="rg-section" id="rg-row-title">
          {say("drawer.looks", { word: query(cell.query_token) })}
          <span class="rg-note"> {say("which.entropy", { entropy: cell.row_entropy.toFixed(2) })}</span>
        </h3>
        <Ranked rows={cell.row.map(row(cell.key, key, (position) => ({ query: cell.query, key: position })))} rest={cell.row_rest} />
      </section>
      <section aria-labelledby="rg-column-title">
        <h3 class="rg-section" id="rg-column-title">{say("drawer.looked", { word: key(cell.key_token) })}</h3>
        <Ranked rows={cell.column.map(row(cell.query, query, (position) => ({ query: position, key: cell.key })))} />
      </section>
    </>
  );
}
