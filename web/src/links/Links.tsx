/** Two rows or columns of words and the lines between them: words are pointed at, locked and walked along, lines asked. */
import { useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren, CSSProperties } from "preact";
import { useRef } from "preact/hooks";
import type { Unit } from "../weights/units";
import { curve, nearest, type Extent, type Strand } from "./layout";
import "./links.css";

export type End = "query" | "key";

/** A word, by its place among those of its side. */
export interface Pointed {
  side: End;
  index: number;
}

/** One side: its words and where they stand along it. */
export interface Side {
  side: End;
  name: string;
  units: readonly Unit[];
  extents: readonly Extent[];
  shown: readonly [number, number]; // those that are put on the page
}

/** How a word is drawn besides its text. */
export interface Look {
  label?: string; // instead of its own
  number?: string; // beside it, and spoken
  aside?: string; // beside it where it has no number
  share?: number; // of the largest, for its ground
  sure?: number; // its probability, for its type
  color?: number;
  says?: string; // after its name
  title?: string | undefined;
  classes?: string[];
  attributes?: ButtonHTMLAttributes<HTMLButtonElement>;
  after?: ComponentChildren; // in the same place
}

interface LinksProps {
  sides: readonly [Side, Side]; // the first on the left or above
  down: boolean; // from line to line instead of from column to column
  depth: number; // between the sides
  column: number; // width of a side, or height of a line
  first?: number; // that of the first, where it is another
  length: number; // along
  edge?: number; // before and after the sides, for what stands there
  font?: number; // px
  strands: readonly Strand[];
  paint(strand: Strand): { color?: string; opacity: number; look?: string | undefined; name: string; cell?: string }; // cell: row and column of the map, then 1 where the row's word is first
  describe(strand: Strand): [string, string];
  look(pointed: Pointed): Look;
  active: readonly Pointed[];
  locked: readonly Pointed[];
  behind?: ComponentChildren; // the lines
  children?: ComponentChildren;
  name?(pointed: Pointed): string; // that a word keeps in a sentence of other words
  onHover(pointed: Pointed | null): void;
  onLock(pointed: Pointed): void;
  onRelease(): void;
  onPoint?(strand: Strand | null): void;
  onAsk(strand: Strand): void;
}

const PAGE = 10;

export const among = (all: readonly Pointed[], { side, index }: Pointed): boolean => all.some((each) => each.side === side && each.index === index);

export function Links(props: LinksProps) {
  const { sides, down, depth, column, first = column, length, edge = 0, strands, active, locked } = props;
  const box = useRef<HTMLDivElement>(null);
  const stops = useSignal({ query: 0, key: 0 }); // of the tab key
  const over = useSignal<{ strand: Strand; x: number; y: number } | null>(null);

  const go = ({ side, name, units }: Side, to: number) => {
    stops.value = { ...stops.value, [side]: Math.max(0, Math.min(units.length - 1, to)) };
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-word="${name} ${stops.value[side]}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent, side: Side) => {
    const at = stops.value[side.side];
    const cross = () => {
      const other = side === sides[0] ? sides[1] : sides[0];
      go(other, Math.min(down ? at : stops.value[other.side], other.units.length - 1));
    };
    const [back, on, ...crossing] = down ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
    const steps: Record<string, () => void> = {
      [back as string]: () => go(side, at - 1),
      [on as string]: () => go(side, at + 1),
      PageUp: () => go(side, at - PAGE),
      PageDown: () => go(side, at + PAGE),
      Home: () => go(side, 0),
      End: () => go(side, side.units.length - 1),
      l: () => props.onLock({ side: side.side, index: at }),
      Escape: props.onRelease,
    };
    const step = crossing.includes(event.key) ? cross : steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own use for these keys
    step();
  };

  const point = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const frame = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const strand = nearest(strands, depth, down ? x : y, down ? y : x);
    if (strand?.query !== over.value?.strand.query || strand?.key !== over.value?.strand.key) props.onPoint?.(strand);
    over.value = strand && { strand, x, y };
    return strand;
  };
  const leave = () => {
    over.value = null;
    props.onPoint?.(null);
  };
  const path = (strand: Strand) => curve(strand.from, strand.to, depth, down);
  const pointed = over.value && strands.includes(over.value.strand) ? over.value : null;
  const [title, value] = pointed ? props.describe(pointed.strand) : ["", ""];
  const [width, height] = down ? [length, depth] : [depth, length];
  const place = (second: boolean, { start, end }: Extent): CSSProperties => {
    const far = edge + (second ? first + depth : 0);
    const [size, thick] = [end - start, second ? column : first];
    return down
      ? { left: `${start}px`, top: `${far}px`, width: `${size}px`, height: `${thick}px` }
      : { left: `${far}px`, top: `${start}px`, width: `${thick}px`, height: `${size}px` };
  };
  const between = down ? { left: 0, top: `${edge + first}px` } : { left: `${edge + first}px`, top: 0 };
  const across = 2 * edge + first + column + depth;

  const word = (side: Side, index: number) => {
    const unit = side.units[index];
    const extent = side.extents[index];
    if (!unit || !extent) return null;
    const at = { side: side.side, index };
    const look = props.look(at);
    const lit = among(locked, at);
    const on = among(active, at);
    const classes = ["rg-word", side === sides[0] ? "rg-word--first" : "rg-word--second", ...(look.classes ?? [])];
    if (on) classes.push("rg-word--active");
    if (lit) classes.push("rg-word--locked");
    if (unit.special) classes.push("rg-word--special");
    if (active.length && !on && !look.number) classes.push("rg-word--quiet");
    return (
      <li key={props.name?.(at) ?? index} style={place(side === sides[1], extent)}>
        <button
          type="button"
          class={classes.join(" ")}
          data-word={`${side.name} ${index}`}
          tabIndex={index === stops.value[side.side] ? 0 : -1}
          aria-pressed={lit}
          aria-label={`${side.name} ${unit.first}: ${[unit.label, look.number, look.says].filter(Boolean).join(", ")}`}
          title={look.title ?? (unit.title === unit.label ? undefined : unit.title)}
          style={{ "--share": look.share ?? 0, "--sure": (look.sure ?? 1).toFixed(2), "--line": `var(--rg-head-${look.color ?? 0})` }}
          onPointerEnter={() => props.onHover(at)}
          onFocus={() => {
            stops.value = { ...stops.value, [side.side]: index };
            props.onHover(at);
          }}
          onClick={() => props.onLock(at)}
          {...look.attributes}
        >
          <span class="rg-word__label">{look.label ?? unit.label}</span>
          {look.number ? <span class="rg-word__number rg-number">{look.number}</span> : look.aside && !active.length && <span class="rg-word__aside rg-note rg-number">{look.aside}</span>}
        </button>
        {look.after}
      </li>
    );
  };

  return (
    <div
      ref={box}
      class={`rg-links rg-links--${down ? "lines" : "columns"}`}
      style={{ fontSize: props.font && `${props.font}px`, width: `${down ? length : across}px`, height: `${down ? across : length}px` }}
      onPointerLeave={() => props.onHover(null)}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) props.onHover(null);
      }}
    >
      <svg
        aria-hidden="true"
        class={`rg-links__lines${pointed ? " rg-links__lines--pointed" : ""}`}
        width={width}
        height={height}
        style={between}
        onPointerMove={point}
        onPointerLeave={leave}
        onClick={(event) => {
          const strand = point(event);
          if (strand) props.onAsk(strand);
        }}
      >
        {props.behind}
        {strands.map((strand) => {
          const { color, opacity, look, name, cell } = props.paint(strand);
          return <path key={name} data-cell={cell} class={look} d={path(strand)} style={color && { stroke: color }} stroke-width={strand.width} stroke-opacity={strand === pointed?.strand ? 1 : opacity} />;
        })}
      </svg>
      {pointed && (
        <p class="rg-links__tip" style={{ left: `${(down ? 0 : edge + first) + Math.min(Math.max(pointed.x, 60), width - 60)}px`, top: `${(down ? edge + first : 0) + pointed.y}px` }}>
          {title}<br />
          <span class="rg-note rg-number">{value}</span>
        </p>
      )}
      {sides.map((side) => {
        const [begin, end] = side.shown;
        const stop = stops.value[side.side];
        const indices = Array.from({ length: end - begin }, (_, i) => begin + i);
        if (stop < begin || stop >= end) indices.push(Math.min(stop, side.units.length - 1));
        return (
          <ol key={side.side} class="rg-links__words" aria-label={side.name} onKeyDown={(event) => onKeyDown(event, side)}>
            {indices.map((index) => word(side, index))}
          </ol>
        );
      })}
      {props.children}
    </div>
  );
}
