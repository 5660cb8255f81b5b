/** The color scale with its ticks and draggable ends, and in words what the picture shows. */
import { useRef } from "preact/hooks";
import { cssGradient } from "../color/ramps";
import type { State } from "../state";
import { count, tick } from "../weights/numbers";
import { percent } from "../weights/words";
import type { Axes, Positions } from "./geometry/positions";
import { useWords, type Key, type Say } from "../words/words";
import { quantityName } from "./readout";
import { placeOf, ticks, valueAt } from "../color/scales";
import type { Screen, Shown } from "./screen";
import type { Automatic } from "../color/survey";

const MOST_NAMED = 4;
const PALE = 3; // level from which a linear scale leaves most of a map pale
const STEP = 0.02; // of the bar, by an arrow key

interface Props {
  state: State;
  screen: Screen;
  difference: boolean;
}

export function Legend({ state, screen, difference }: Props) {
  const say = useWords();
  const bar = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  const { ends } = screen;
  const home = difference ? null : state.home.value;
  const now = screen.shown.value;
  if (!now) return <div class="rg-map__legend rg-note" />;
  const { coloring: by, whole } = now;
  const named = quantityName({ say, quantity: state.quantity.value, difference });
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
      aria-label={say(end ? "legend.upper" : "legend.lower")}
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
  const note = [...notes(say, state, now, difference, screen.axes.keys), ...missing(say, screen.axes)].join(" · ");
  return (
    <div class="rg-map__legend rg-note">
      <span class="rg-map__legend-name">{named}</span>
      <div class="rg-map__scale">
        <div class="rg-map__bar" ref={bar} style={{ background: cssGradient(now.ramp, ...places) }} onDblClick={() => (ends.value = null)}>
          {handle(0)}
          {handle(1)}
        </div>
        <div class="rg-map__ticks rg-number" aria-hidden="true">
          {ticks(whole).map(({ value, place }) => (
            <span key={value} style={{ left: `${100 * place}%` }}>
              {tick(value)}
            </span>
          ))}
        </div>
      </div>
      {ends.value && ends.value !== home && (
        <button type="button" class="rg-link" onClick={() => (ends.value = home)}>
          {say("legend.reset")}
        </button>
      )}
      <span class="rg-map__note" title={note}>{note}</span>
    </div>
  );
}

/** Notes that one needs to read the picture rightly. */
export function notes(say: Say, state: State, shown: Shown, difference: boolean, keys: Positions): string[] {
  const said: string[] = [];
  const { level, every, automatic, failure } = shown;
  const scale = state.scale.value;
  const size = count(2 ** level);
  if (failure) said.push(failure);
  if (level > 0) said.push(difference ? say("legend.blocks", { size, what: say(`map.between.${state.reduce.value}`) }) : say("legend.cells", { size, what: say(`reduce.${state.reduce.value}`) }));
  if (every > 1) said.push(say("legend.preview", { every }));
  if (difference) {
    if (scale !== "linear" && scale !== "auto") said.push(say("legend.difference"));
  } else if (scale === "auto") {
    if (automatic) said.push(...automaticNotes(say, automatic, shown, keys));
  } else if (scale === "linear" && level >= PALE && state.quantity.value !== "score") said.push(say("legend.small"));
  else if (scale === "log") said.push(say(state.quantity.value === "score" ? "legend.logarithms" : "legend.log"));
  else if (scale === "row") said.push(say("legend.row"));
  return said;
}

/** Notes on an automatic scale, so that its colors are not taken for those of 0 to 1. */
function automaticNotes(say: Say, { perRow, root, sinks }: Automatic, { level, coloring, highest }: Shown, keys: Positions): string[] {
  const size = 2 ** level;
  const parts = [
    ...(perRow ? [say("legend.largest")] : coloring.high < 0.99 * highest ? [say("legend.above")] : []),
    ...(root > 1 ? [say(`legend.root.${root}` as Key)] : []),
  ];
  const named = sinks.map(({ column, mass }) =>
    size > 1 ? `${count(column * size)}–${count((column + 1) * size - 1)}` : say("legend.taking", { key: `${count(column)} “${keys.label(column)}”`, share: percent(mass) }),
  );
  return [...(parts.length ? [parts.join(", ")] : []), ...(named.length ? [say("legend.sinks", { keys: named.join(say("said.and")) })] : [])];
}

/** Tokens that grouping leaves out; a row's words then have less than all of its weight. */
function missing(say: Say, { queries, keys }: Axes): string[] {
  const outside = [...new Set([...queries.outside, ...keys.outside])];
  if (!outside.length) return [];
  return [say("legend.outside", { tokens: `${outside.slice(0, MOST_NAMED).join(", ")}${outside.length > MOST_NAMED ? " …" : ""}` })];
}
