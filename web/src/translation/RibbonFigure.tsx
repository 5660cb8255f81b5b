/** Source above and output below with ribbons between; side by side where the lines do not fit. */
import { useMemo, useRef } from "preact/hooks";
import { fontOf, textWidth } from "../weights/textWidth";
import type { Unit } from "../weights/units";
import { amount, percent } from "../weights/words";
import { length, linedUp, outline, ribbons, type Extent, type Ribbon } from "./ribbons";
import type { Aligned, Pointed } from "./aligned";
import type { Held } from "./pull";

interface RibbonFigureProps {
  aligned: Aligned;
  width: number;
  active: readonly Pointed[];
  locked: readonly Pointed[];
  struck: ReadonlySet<number>; // of the source's words
  chances: readonly number[]; // of the output's words
  unsureBelow: number; // a word of less probability is unsure
  reliance: readonly (number | null)[] | null; // of the source's words: nats of the output's log-probability
  pulled: ReadonlySet<number>; // of the output's words: they look where the reader wants
  pull: Held | null;
  free?: boolean; // a word that looks nowhere can be given a look, and has its probability under it
  onStrike: ((word: number) => void) | null; // null: nothing can be struck out
  onPull: ((word: number, key: number) => void) | null; // null: nothing can be pulled
  onLetGo(done: boolean): void;
  onHover(pointed: Pointed | null): void;
  onLock(pointed: Pointed): void;
  onRelease(): void;
  onAsk(query: number, key: number): void;
}

const CLICK = 6; // px that a pointer moves in a click
const DEPTH = 190; // px between the lines
const CHIP = 32; // px, height of a word
const NUMBER = 24; // px, for the bar and the per cent beside it
const SIZES = [
  { font: 18, padding: 10, gap: 10 },
  { font: 14, padding: 7, gap: 6 },
];

export function RibbonFigure(props: RibbonFigureProps) {
  const { aligned, width, active, locked, pull, free = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const pressed = useRef<{ x: number; y: number } | null>(null);
  const dragged = useRef(false); // since it was pressed
  const plan = useMemo(() => arranged(aligned, width), [aligned, width]);
  const { down, depth, source, output } = plan;
  const drawn = useMemo(() => {
    const { ribbons: all } = ribbons(aligned.shares, source, output, plan.band);
    return all.map((ribbon) => ({ ...ribbon, path: outline(ribbon, depth, down ? "down" : "right") }));
  }, [aligned, plan]);
  const handles = useMemo(() => {
    const best = new Map<number, { query: number; key: number | null; value: number; at: number }>();
    if (free) aligned.output.forEach((_, query) => best.set(query, { query, key: null, value: 0, at: middle(output[query] as Extent) }));
    for (const { query, key, value, from } of drawn) if (value > (best.get(query)?.value ?? 0)) best.set(query, { query, key, value, at: middle(from) });
    return [...best.values()].filter(({ query }) => !free || playable(aligned.output[query]));
  }, [drawn]);
  const nearest = (event: PointerEvent): number => {
    const frame = (box.current as HTMLElement).getBoundingClientRect();
    const at = down ? event.clientX - frame.left : event.clientY - frame.top;
    return source.reduce((best, extent, key) => (Math.abs(middle(extent) - at) < Math.abs(middle(source[best] as Extent) - at) ? key : best), 0);
  };
  const held = (query: number) => pull?.word === query;
  const onHandleKey = (event: KeyboardEvent, query: number, key: number | null) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (by) props.onPull?.(query, Math.min(source.length - 1, Math.max(0, (pull?.key ?? key ?? -1) + by)));
    else if (event.key === "Enter" || event.key === " ") props.onLetGo(true);
    else if (event.key === "Escape") props.onLetGo(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (!by) focus("output", query);
  };

  /** Drags the line of a word; where it has not moved, it was a click. */
  const draggable = (query: number, key: number | null) => ({
    onPointerDown: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      event.preventDefault(); // no text is selected on the way
      event.currentTarget.setPointerCapture(event.pointerId);
      pressed.current = { x: event.clientX, y: event.clientY };
      dragged.current = false;
    },
    onPointerMove: (event: PointerEvent) => {
      const { current: from } = pressed;
      if (from && !dragged.current && Math.hypot(event.clientX - from.x, event.clientY - from.y) > CLICK) {
        dragged.current = true;
        if (key !== null) props.onPull?.(query, key); // where it is taken
      }
      if (from ? dragged.current : held(query)) props.onPull?.(query, nearest(event));
    },
    onPointerUp: () => {
      pressed.current = null;
      if (dragged.current || held(query)) props.onLetGo(true);
    },
    onPointerCancel: () => {
      pressed.current = null;
      props.onLetGo(false);
    },
    onClick: () => {
      if (!dragged.current) props.onLock({ side: "output", index: query });
      dragged.current = false;
    },
  });

  const most = Math.max(0, ...(props.reliance ?? []).map((each) => -(each ?? 0)));
  const has = (all: readonly Pointed[], side: Pointed["side"], index: number) =>
    all.some((each) => each.side === side && each.index === index);
  const involved = (query: number, key: number) => has(active, "output", query) || has(active, "source", key);
  const part = (side: Pointed["side"], index: number): string => {
    // With one word pointed at, those on the other side carry what they get from it.
    const asked = active[active.length - 1];
    if (!asked || asked.side === side) return "";
    const [query, key] = side === "source" ? [asked.index, index] : [index, asked.index];
    const at = query * aligned.shares.width + key;
    return aligned.shares.values[at]! >= 0.01 ? amount(aligned.values.values[at]!, aligned.quantity) : "";
  };
  const focus = (side: Pointed["side"], index: number) =>
    box.current?.querySelector<HTMLElement>(`[data-word="${side} ${index}"]`)?.focus();
  const onKeyDown = (event: KeyboardEvent, { side, index }: Pointed) => {
    const other = side === "source" ? "output" : "source";
    const [back, on, crossing] = down
      ? ["ArrowLeft", "ArrowRight", side === "source" ? "ArrowDown" : "ArrowUp"]
      : ["ArrowUp", "ArrowDown", side === "source" ? "ArrowRight" : "ArrowLeft"];
    const steps: Record<string, () => void> = {
      [back as string]: () => focus(side, index - 1),
      [on as string]: () => focus(side, index + 1),
      [crossing as string]: () => focus(other, Math.min(index, (other === "source" ? source : output).length - 1)),
      l: () => props.onLock({ side, index }),
      Escape: props.onRelease,
    };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own use for these keys
    step();
  };

  const names = { source: numbered(aligned.source), output: numbered(aligned.output) };
  const words = (side: Pointed["side"]) => {
    const extents = side === "source" ? source : output;
    const units = side === "source" ? aligned.source : aligned.output;
    return (
      <ol class="rg-translation__words" aria-label={side}>
        {units.map((unit, index) => {
          const extent = extents[index];
          if (!extent) return null;
          const taken = side === "output" && held(index) ? pull?.next : null;
          const chance = side === "output" ? (taken?.probability ?? props.chances[index] ?? 1) : 1;
          const text = taken || (free && side === "output" && props.pulled.has(index)) ? percent(chance) : part(side, index);
          const strong = has(active, side, index) || text !== "";
          const lit = has(locked, side, index);
          const far = side === "source" ? 0 : depth + CHIP;
          const place = down
            ? { left: extent.start, top: NUMBER + far, width: extent.end - extent.start, height: CHIP }
            : { left: side === "source" ? 0 : plan.column + depth, top: extent.start, width: plan.column, height: extent.end - extent.start };
          const classes = ["rg-translation__word", `rg-translation__word--${side}`];
          if (has(active, side, index)) classes.push("rg-translation__word--active");
          if (lit) classes.push("rg-translation__word--locked");
          if (unit.special) classes.push("rg-translation__word--special");
          const struck = side === "source" && props.struck.has(index);
          if (struck) classes.push("rg-translation__word--struck");
          const unsure = !unit.special && chance < props.unsureBelow;
          if (unsure) classes.push("rg-translation__word--unsure");
          if (side === "output" && (taken || props.pulled.has(index))) classes.push("rg-translation__word--pulled");
          if (side === "source" && pull?.key === index) classes.push("rg-translation__word--aimed");
          if (active.length && !strong) classes.push("rg-translation__word--quiet");
          return (
            <li key={names[side][index]} style={{ left: `${place.left}px`, top: `${place.top}px`, width: `${place.width}px`, height: `${place.height}px` }}>
              <button
                type="button"
                class={classes.join(" ")}
                data-word={`${side} ${index}`}
                style={{ fontSize: `${plan.font}px`, "--sure": chance.toFixed(2) }}
                title={unsure ? `${unit.title}: the model is unsure of it` : unit.title === unit.label ? undefined : unit.title}
                aria-pressed={lit}
                aria-keyshortcuts={side === "source" ? (props.onStrike ? "x" : undefined) : props.onPull ? "p" : undefined}
                aria-label={`${side} ${unit.label}${text && `, ${text}`}${unsure ? ", unsure" : ""}`}
                onPointerEnter={() => props.onHover({ side, index })}
                onFocus={() => props.onHover({ side, index })}
                onBlur={() => props.onHover(null)}
                onClick={() => props.onLock({ side, index })}
                onKeyDown={(event) => onKeyDown(event, { side, index })}
                {...(free && side === "output" && playable(unit) && draggable(index, null))}
              >
                {taken?.label ?? unit.label}
                {text && <span class="rg-translation__number rg-number">{text}</span>}
              </button>
              {side === "source" && !unit.special && <Reliance change={props.reliance?.[index] ?? null} most={most} />}
              {side === "source" && !unit.special && props.onStrike && (
                <button
                  type="button"
                  class="rg-translation__strike"
                  tabIndex={-1}
                  title={struck ? `put “${unit.label}” back (x)` : `strike “${unit.label}” out and translate without it (x)`}
                  aria-label={`${struck ? "put back" : "strike out"} ${unit.label}`}
                  onClick={() => props.onStrike?.(index)}
                >
                  {struck ? "↺" : "×"}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    );
  };

  const height = down ? depth + 2 * CHIP + 2 * NUMBER : plan.total;
  return (
    <div
      ref={box}
      class={`rg-translation__figure rg-translation__figure--${down ? "lines" : "columns"}${free ? " rg-translation__figure--free" : ""}`}
      style={{ width: `${down ? plan.total : 2 * plan.column + depth}px`, height: `${height}px` }}
      onPointerLeave={() => props.onHover(null)}
    >
      <svg
        aria-hidden="true"
        class="rg-translation__ribbons"
        width={down ? plan.total : depth}
        height={down ? depth : plan.total}
        style={down ? { top: `${NUMBER + CHIP}px`, left: 0 } : { top: 0, left: `${plan.column}px` }}
      >
        {drawn.map((ribbon) => {
          const strong = involved(ribbon.query, ribbon.key);
          const key = `${names.output[ribbon.query]} ${names.source[ribbon.key]}`; // the same in the next sentence
          if (held(ribbon.query)) return <path key={key} class="rg-translation__left" d={ribbon.path} />;
          const opacity = active.length === 0 ? 0.12 + 0.6 * ribbon.value : strong ? 0.3 + 0.6 * ribbon.value : 0.05;
          return (
            <path key={key} class={props.pulled.has(ribbon.query) ? "rg-translation__pulled" : undefined} d={ribbon.path} fill-opacity={opacity} onClick={() => props.onAsk(ribbon.query, ribbon.key)}>
              <title>{`${aligned.output[ribbon.query]?.label} looked at ${aligned.source[ribbon.key]?.label}: ${amount(aligned.values.values[ribbon.query * aligned.values.width + ribbon.key]!, aligned.quantity)}`}</title>
            </path>
          );
        })}
        {pull && <path class="rg-translation__pulled" d={outline(lineOf(pull, source, output, plan.band), depth, down ? "down" : "right")} />}
      </svg>
      {words("source")}
      {words("output")}
      {props.onPull &&
        handles.map(({ query, key, at: rest }) => {
          const now = held(query) ? (pull?.key as number) : key;
          const [word, looked] = [aligned.output[query]?.label, now === null ? "no word yet" : aligned.source[now]?.label];
          const at = held(query) ? middle(source[pull?.key as number] as Extent) : rest;
          const [edge, across] = now === null ? [NUMBER + CHIP + depth, plan.column + depth] : [NUMBER + CHIP, plan.column];
          return (
            <div
              key={names.output[query]}
              role="slider"
              class={`rg-translation__handle${held(query) ? " rg-translation__handle--held" : ""}${props.pulled.has(query) ? " rg-translation__handle--pulled" : ""}`}
              tabIndex={-1}
              data-handle={query}
              style={down ? { left: `${at}px`, top: `${edge}px` } : { left: `${across}px`, top: `${at}px` }}
              title={`pull: “${word}” then looks there alone, in all heads and layers`}
              aria-label={`what ${word} looks at; arrows pull it, enter lets go`}
              aria-orientation={down ? "horizontal" : "vertical"}
              aria-valuemin={0}
              aria-valuemax={source.length - 1}
              aria-valuenow={now ?? undefined}
              aria-valuetext={`${looked}${held(query) && pull?.next ? `: ${pull.next.label}, ${percent(pull.next.probability)}` : ""}`}
              onPointerEnter={() => !pull && props.onHover({ side: "output", index: query })}
              onFocus={() => props.onHover({ side: "output", index: query })}
              onBlur={() => props.onLetGo(false)}
              {...draggable(query, key)}
              onKeyDown={(event) => onHandleKey(event, query, key)}
            />
          );
        })}
    </div>
  );
}

const middle = ({ start, end }: Extent) => (start + end) / 2;

/** True of a word that is drawn a line: marks and the end of the sentence are not. */
export const playable = (word: Unit | undefined): boolean => word !== undefined && !word.special && /[\p{L}\p{N}]/u.test(word.label);

/** A name for each word that it keeps in a sentence of other words. */
function numbered(all: readonly Unit[]): string[] {
  const seen = new Map<string, number>();
  return all.map(({ label }) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return `${label} ${count}`;
  });
}

/** The ribbon of a word that is held: all of its look is at one word. */
function lineOf({ word, key }: Held, source: readonly Extent[], output: readonly Extent[], band: number): Ribbon {
  const around = (extent: Extent = { start: 0, end: 0 }): Extent => ({ start: middle(extent) - band / 2, end: middle(extent) + band / 2 });
  return { query: word, key, value: 1, from: around(source[key]), to: around(output[word]) };
}

/** A bar as long as the output's loss without the word, the largest of all being the whole width. */
function Reliance({ change, most }: { change: number | null; most: number }) {
  if (change === null || most <= 0) return null;
  const part = Math.max(0, -change) / most;
  const title = change < 0 ? `without it this translation is ${times(-change)} times less likely` : "without it this translation is as likely";
  return <span class="rg-translation__reliance" title={title} style={{ "--part": part.toFixed(3) }} />;
}

/** e to the nats, to two digits or as a power of ten. */
function times(nats: number): string {
  const power = Math.exp(nats);
  return power < 1e4 ? Number(power.toPrecision(2)).toLocaleString("en") : `10^${Math.round(nats / Math.LN10)}`;
}

/** Two lines in the largest type that fits the width, or two columns. */
function arranged({ source, output }: Aligned, width: number) {
  for (const { font, padding, gap } of SIZES) {
    const type = fontOf(font, 600);
    const wide = (label: string) => Math.max(30, Math.ceil(textWidth(label, type)) + 2 * padding);
    const [above, below] = [source.map((unit) => wide(unit.label)), output.map((unit) => wide(unit.label))];
    const natural = Math.max(length(above, gap), length(below, gap));
    if (natural > width) continue;
    const total = Math.min(width, natural + 8 * Math.max(above.length, below.length));
    return {
      down: true, depth: DEPTH, font, column: 0, total, band: 22,
      source: linedUp(above, gap, total), output: linedUp(below, gap, total),
    };
  }
  const column = Math.min(200, Math.floor(width * 0.36));
  const [left, right] = [source.map(() => 28), output.map(() => 28)];
  const total = Math.max(length(left, 4), length(right, 4));
  return {
    down: false, depth: Math.min(280, width - 2 * column), font: 14, column, total, band: 22,
    source: linedUp(left, 4, total, Infinity), output: linedUp(right, 4, total, Infinity), // both from the first to the last line
  };
}
