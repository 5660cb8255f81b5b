/** Over the hero: which view, which layer and head, and how its numbers are shown. */
import { batch, type Signal } from "@preact/signals";
import { fit } from "../map/input/commands";
import type { Quantity, TapInfo, TraceInfo } from "../source";
import type { State, View } from "../state";
import { Choice } from "../weights/Choice";
import { knows } from "../weights/units";
import { QUANTITY } from "../weights/words";
import { useWords } from "../words/words";
import { ExportMenu } from "./ExportMenu";

export function Toolbar({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const tap = state.tap.value;
  const view = state.view.value;
  return (
    <div class="rg-bar">
      <div class="rg-bar__row">
        <Views state={state} trace={trace} />
        <div class="rg-row rg-bar__end">
          <button
            type="button"
            class="rg-button"
            aria-pressed={state.drawer.value}
            title={say("view.equation.title")}
            onClick={() => (state.drawer.value = !state.drawer.value)}
          >
            {say("view.equation")}
          </button>
          <ExportMenu state={state} trace={trace} />
        </div>
      </div>
      {tap && view === "map" && (
        <div class="rg-bar__row">
          <Shown state={state} trace={trace} tap={tap} />
        </div>
      )}
    </div>
  );
}

/** The views that this trace has something for. */
export function viewsOf(trace: TraceInfo): View[] {
  const views: View[] = ["map", "heads", "flow"];
  if (trace.generation) views.push("generation");
  if (trace.taps.some((tap) => tap.kind === "cross")) views.push("translation");
  if (trace.generation) views.push("why");
  return [...views, "compare"];
}

function Views({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const views = viewsOf(trace).filter((view) => view !== "why" || state.source.abilities.why || view === state.view.value);
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = views[(views.indexOf(state.view.value) + by + views.length) % views.length] as View;
    state.view.value = next;
    (event.currentTarget as Element).querySelector<HTMLElement>(`#rg-view-${next}`)?.focus();
  };
  return (
    <div class="rg-tabs" role="tablist" aria-label="view" onKeyDown={step}>
      {views.map((view) => (
        <button
          key={view}
          type="button"
          role="tab"
          id={`rg-view-${view}`}
          class="rg-tabs__tab"
          aria-selected={view === state.view.value}
          aria-controls="rg-hero"
          tabIndex={view === state.view.value ? 0 : -1}
          onClick={() => (state.view.value = view)}
        >
          {say(`view.${view}`)}
        </button>
      ))}
    </div>
  );
}

const SCALES = [["auto", "auto"], ["linear", "linear"], ["log", "log"], ["row", "per row"], ["sink", "without the sink"]] as const;
const GROUPS = [["token", "tokens"], ["word", "words"], ["sentence", "sentences"]] as const;
const REDUCES = [["max", "largest"], ["mean", "mean"]] as const;
const MEANING: Record<Quantity, string> = {
  weight: "the weight α: the output of softmax",
  norm: "‖α·f(x)‖: the length of the vector that the weight lets through",
  score: "the score, before softmax",
};
const BLOCKS_FROM = 256; // positions; a smaller map always shows its single cells

function Shown({ state, trace, tap }: { state: State; trace: TraceInfo; tap: TapInfo }) {
  const say = useWords();
  const axes = [trace.axes[tap.queries], trace.axes[tap.keys]];
  const groups = GROUPS.filter(([group]) => axes.some((axis) => knows(axis, group)));
  const chosen = (name: "quantity" | "scale" | "group" | "reduce", look: "joined" | "list", options: readonly (readonly [string, string, string?])[], says: string, label = says, forgets?: "ends" | "viewport") => (
    <Choice
      name={says}
      label={label}
      look={look}
      options={options}
      value={state[name].value}
      onChoose={(value) =>
        batch(() => {
          (state[name] as Signal<string>).value = value;
          if (forgets) state[forgets].value = null;
        })
      }
    />
  );
  return (
    <>
      {chosen("quantity", "joined", tap.quantities.map((each) => [each, QUANTITY[each], MEANING[each]] as const), "quantity", "", "ends")}
      {chosen("scale", "list", SCALES, "scale", "scale", "ends")}
      {groups.length > 1 && chosen("group", "list", groups, "rows and columns", "by", "viewport") /* it counts rows and columns, which are others then */}
      {Math.max(tap.rows, tap.columns) > BLOCKS_FROM && chosen("reduce", "list", REDUCES, "what a block of cells shows", "blocks")}
      {state.viewport.value && <button type="button" class="rg-button" title={say("view.fit.title")} onClick={() => fit(state)}>{say("view.fit")}</button>}
    </>
  );
}
