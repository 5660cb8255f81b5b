/** Over the hero: which view, which layer and head, and how its numbers are shown. */
import { batch } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { fit } from "../map/input/commands";
import type { Group, Quantity, Reduce, TapInfo, TraceInfo } from "../source";
import type { Scale, State, View } from "../state";
import { ExportMenu } from "./ExportMenu";
import { QUANTITY } from "../weights/words";

export function Toolbar({ state, trace }: { state: State; trace: TraceInfo }) {
  const tap = state.tap.value;
  const view = state.view.value;
  return (
    <div class="rg-bar">
      <div class="rg-bar__row">
        <Views state={state} trace={trace} />
        <div class="rg-bar__end">
          <button
            type="button"
            class="rg-button"
            aria-pressed={state.drawer.value}
            title="the equation behind the cell (e)"
            onClick={() => (state.drawer.value = !state.drawer.value)}
          >
            equation
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
          {view}
        </button>
      ))}
    </div>
  );
}

const SCALES: [Scale, string][] = [
  ["auto", "auto"],
  ["linear", "linear"],
  ["log", "log"],
  ["row", "per row"],
  ["sink", "without the sink"],
];
const GROUPS: [Group, string][] = [
  ["token", "tokens"],
  ["word", "words"],
  ["sentence", "sentences"],
];
const REDUCES: [Reduce, string][] = [
  ["max", "largest"],
  ["mean", "mean"],
];

const BLOCKS_FROM = 256; // positions; a smaller map always shows its single cells

function Shown({ state, trace, tap }: { state: State; trace: TraceInfo; tap: TapInfo }) {
  const axes = [trace.axes[tap.queries], trace.axes[tap.keys]];
  const groups = GROUPS.filter(
    ([group]) => group === "token" || axes.some((axis) => (group === "word" ? axis?.words : axis?.sentences)),
  );
  const chooseQuantity = (quantity: Quantity) =>
    batch(() => {
      state.quantity.value = quantity;
      state.ends.value = null;
    });
  const chooseScale = (scale: Scale) =>
    batch(() => {
      state.scale.value = scale;
      state.ends.value = null;
    });
  const chooseGroup = (group: Group) =>
    batch(() => {
      state.group.value = group;
      state.viewport.value = null; // it counts rows and columns, which are others now
    });
  return (
    <>
      <div class="rg-segments" role="group" aria-label="quantity">
        {tap.quantities.map((quantity) => (
          <button
            key={quantity}
            type="button"
            class="rg-segments__part rg-number"
            aria-pressed={state.quantity.value === quantity}
            title={MEANING[quantity]}
            onClick={() => chooseQuantity(quantity)}
          >
            {QUANTITY[quantity]}
          </button>
        ))}
      </div>
      <Choose name="scale" options={SCALES} value={state.scale.value} onChoose={chooseScale} />
      {groups.length > 1 && (
        <Choose name="rows and columns" short="by" options={groups} value={state.group.value} onChoose={chooseGroup} />
      )}
      {Math.max(tap.rows, tap.columns) > BLOCKS_FROM && (
        <Choose
          name="what a block of cells shows"
          short="blocks"
          options={REDUCES}
          value={state.reduce.value}
          onChoose={(reduce) => (state.reduce.value = reduce)}
        />
      )}
      {state.viewport.value && (
        <button type="button" class="rg-button" title="show the whole map (0)" onClick={() => fit(state)}>
          fit
        </button>
      )}
    </>
  );
}

const MEANING: Record<Quantity, string> = {
  weight: "the weight α: the output of softmax",
  norm: "‖α·f(x)‖: the length of the vector that the weight lets through",
  score: "the score, before softmax",
};

interface ChooseProps<T extends string> {
  name: string;
  short?: string;
  options: [T, ComponentChildren][];
  value: T;
  onChoose: (value: T) => void;
}

function Choose<T extends string>({ name, short = name, options, value, onChoose }: ChooseProps<T>) {
  return (
    <label class="rg-choose" title={name}>
      <span class="rg-choose__name">{short}</span>
      <select
        class="rg-select"
        aria-label={name}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as T)}
      >
        {options.map(([option, label]) => (
          <option key={option} value={option} selected={option === value}>{label}</option>
        ))}
      </select>
    </label>
  );
}
