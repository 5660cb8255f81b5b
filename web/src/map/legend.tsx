/** The color scale with its ticks and draggable ends, and in words what the picture shows. */
import { useRef } from "preact/hooks";
import { cssGradient } from "../color/ramps";
import type { State } from "../state";
import { count, tick } from "../weights/numbers";
import { percent } from "../weights/words";
import type { Axes, Positions } from "./geometry/positions";
import { ordinal, quantityName } from "./readout";
import { placeOf, ticks, valueAt } from "../color/scales";
import type { Screen, Shown } from "./screen";
import { LEAST, type Automatic } from "../color/survey";

const MOST_NAMED = 4;
const PALE = 3; // level from which a linear scale leaves most of a map pale
const STEP = 0.02; // of the bar, by an arrow key

interface Props {
  state: State;
  screen: Screen;
  difference: boolean;
}

export function Legend({ state, screen, difference }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  const { ends } = screen;
  const home = difference ? null : state.home.value;
  const now = screen.shown.value;
  if (!now) return <div class="rg-map__legend" />;
  const { coloring: by, whole } = now;
  const named = quantityName({ quantity: state.quantity.value, difference });
  const places = [placeOf(whole, by.low), placeOf(whole, by.high)] as const;

  const set = (end: 0 | 1, place: number) => {
    const value = valueAt(whole, Math.min(1, Math.max(0, place)));
    // A difference keeps zero in the middle of its colors.
    const next: [number, number] = by.diverging ? [-Math.abs(value), Math.abs(value)] : end ? [by.low, value] : [value, by.high];
    if (next[1] > next[0]) ends.value = next;
  };
  const drag = (end: 0 | 1) => (event: PointerEvent) => {
    const box = bar.current?.getBoundingClientRect();
    if (held.current && box) set(end, (event.clientX - box.left) / box.width);
  };
  const press = (end: 0 | 1) => (event: KeyboardEvent) => {
    const turn = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!turn) return;
    event.preventDefault();
    event.stopPropagation();
    set(end, places[end] + turn * STEP);
  };
  const handle = (end: 0 | 1) => (
    <div
      class="rg-map__end"
      style={{ left: `${100 * places[end]}%` }}
      role="slider"
      tabIndex={0}
      aria-label={end ? "upper end of the color scale" : "lower end of the color scale"}
      aria-valuemin={whole.low}
      aria-valuemax={whole.high}
      aria-valuenow={end ? by.high : by.low}
      aria-valuetext={tick(end ? by.high : by.low)}
      onPointerDown={(event) => {
        held.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag(end)}
      onPointerUp={() => (held.current = false)}
      onPointerCancel={() => (held.current = false)}
      onKeyDown={press(end)}
    />
  );
  const note = [...notes(state, now, difference, screen.axes.keys), ...missing(screen.axes)].join(" · ");
  return (
    <div class="rg-map__legend">
      <span class="rg-map__legend-name">{named}</span>
      <div class="rg-map__scale">
        <div class="rg-map__bar" ref={bar} style={{ background: cssGradient(now.ramp, ...places) }} onDblClick={() => (ends.value = null)}>
          {handle(0)}
          {handle(1)}
        </div>
        <div class="rg-map__ticks" aria-hidden="true">
          {ticks(whole).map(({ value, place }) => (
            <span key={value} style={{ left: `${100 * place}%` }}>
              {tick(value)}
            </span>
          ))}
        </div>
      </div>
      {state.scale.value === "auto" && state.quantity.value === "weight" && !difference && (
        <button
          type="button"
          class="rg-link"
          title="the same colors for every map"
          onClick={() => {
            ends.value = null;
            state.scale.value = "linear";
          }}
        >
          0 to 1
        </button>
      )}
      {ends.value && ends.value !== home && (
        <button type="button" class="rg-link" onClick={() => (ends.value = home)}>
          reset ends
        </button>
      )}
      <span class="rg-map__note" title={note}>{note}</span>
    </div>
  );
}

/** Notes that one needs to read the picture rightly. */
export function notes(state: State, shown: Shown, difference: boolean, keys: Positions): string[] {
  const said: string[] = [];
  const { level, every, sink, automatic, failure } = shown;
  const scale = state.scale.value;
  if (failure) said.push(failure);
  if (level > 0) {
    const size = count(2 ** level);
    const reduced = state.reduce.value === "max" ? "largest" : "mean";
    said.push(difference ? `blocks of ${size} × ${size}: difference of their ${reduced === "largest" ? "maxima" : "means"}` : `${reduced} of ${size} × ${size} cells`);
  }
  if (every > 1) said.push(`preview: every ${ordinal(every)} row so far`);
  if (difference) {
    if (scale !== "linear" && scale !== "auto") said.push("differences are shown on a linear scale");
  } else if (scale === "auto") {
    if (automatic) said.push(...automaticNotes(automatic, shown, keys));
  } else if (scale === "linear" && level >= PALE && state.quantity.value !== "score") {
    said.push("a log scale also shows small weights");
  } else if (scale === "log") {
    said.push(state.quantity.value === "score" ? "scores are logarithms already: linear scale" : "log scale");
  } else if (scale === "row") {
    said.push("colors are relative to each row’s largest value in the visible tiles");
  } else if (scale === "sink") said.push(sink ? sinkNote(sink) : failure ? "nothing left out" : "looking for the sink");
  return said;
}

const ROOTS = ["", "", "square root", "cube root", "fourth root"];

/** Notes on an automatic scale, so that its colors are not taken for those of 0 to 1. */
function automaticNotes({ perRow, root, sinks }: Automatic, { level, coloring, highest }: Shown, keys: Positions): string[] {
  const said: string[] = [];
  const by = root > 1 ? `, by the ${ROOTS[root]}` : "";
  if (perRow) said.push(`each row against its largest${by}`);
  else if (coloring.high < 0.99 * highest) said.push(`0.5 % of the cells in view are above the upper end${by}`);
  else if (by) said.push(by.slice(2));
  const size = 2 ** level;
  const named = sinks.map(({ column, mass }) =>
    size > 1
      ? `${count(column * size)} to ${count((column + 1) * size - 1)}`
      : `${count(column)} “${keys.label(column)}” (${percent(mass)} of the weight)`,
  );
  if (named.length) said.push(`the scale leaves out the sink, key ${named.join(" and ")}`);
  return said;
}

/** Tokens that grouping leaves out; a row's words then have less than all of its weight. */
function missing({ queries, keys }: Axes): string[] {
  const outside = [...new Set([...queries.outside, ...keys.outside])];
  if (!outside.length) return [];
  const named = outside.slice(0, MOST_NAMED).join(", ");
  return [`without ${named}${outside.length > MOST_NAMED ? " …" : ""} (in no group)`];
}

function sinkNote({ position, label, mass, rows, of }: NonNullable<Shown["sink"]>): string {
  const sampled = rows < of ? `, on ${count(rows)} of ${count(of)} rows` : "";
  if (mass <= LEAST) return `no sink: no key takes more than ${percent(LEAST)} of the weight (the most: ${percent(mass)})`;
  if (position < 0) return "the sink belongs to no group: nothing left out";
  return `scale without the sink, key ${position} “${label}”, which takes ${percent(mass)} of the weight${sampled}`;
}
