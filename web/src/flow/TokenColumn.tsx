/** One column of tokens: buttons to hover, lock and walk through, as many on the page as are seen. */
import type { Ref } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Unit } from "../weights/units";
import type { Column } from "./layout";
import { rendered, side as sideOf } from "./layout";

/** Weight that a token gets or gives in the picture, in a head's color. */
export interface Mark {
  share: number; // of the largest, for the ground
  text: string;
  color: number;
}

export interface TokenColumnProps {
  side: "query" | "key";
  name: string; // of the axis
  units: Unit[];
  column: Column;
  current: number; // the one that Tab reaches
  followed: ReadonlySet<number>;
  locked: ReadonlySet<number>;
  quiet: boolean; // something is followed, so what has no part in it steps back
  marks: ReadonlyMap<number, Mark>;
  box: Ref<HTMLDivElement>;
  onScroll(scroll: number): void;
  onFollow(index: number): void;
  onLock(index: number): void;
  onRelease(): void;
  onCross(): void; // to the other column
}

const PAGE = 10;

export function TokenColumn(props: TokenColumnProps) {
  const { side, units, column, current, locked, followed, marks } = props;
  const list = useRef<HTMLOListElement>(null);
  const moved = useRef<number | null>(null); // where a key has gone, until the focus is there
  const catching = useRef(false); // the focus follows a step already taken; later ones may be under way
  useEffect(() => {
    if (moved.current !== current) return;
    moved.current = null;
    catching.current = true;
    list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    catching.current = false;
  }, [current]);

  const at = useRef(current); // ahead of what is drawn while a key repeats
  at.current = current;
  const move = (to: number) => {
    const index = Math.min(units.length - 1, Math.max(0, to));
    moved.current = index;
    at.current = index;
    if (sideOf(column, index - 1) < 0 || sideOf(column, index + 1) > 0) {
      props.onScroll(Math.max(0, (index + 0.5) * column.row - column.height / 2));
    }
    props.onFollow(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      ArrowUp: () => move(at.current - 1),
      ArrowDown: () => move(at.current + 1),
      PageUp: () => move(at.current - PAGE),
      PageDown: () => move(at.current + PAGE),
      Home: () => move(0),
      End: () => move(units.length - 1),
      ArrowLeft: props.onCross,
      ArrowRight: props.onCross,
      l: () => props.onLock(at.current),
      Escape: props.onRelease,
    };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own use for these keys
    step();
  };

  const [first, end] = rendered(column);
  const shown = Array.from({ length: end - first }, (_, i) => first + i);
  if (current < first || current >= end) shown.push(Math.min(current, units.length - 1));
  return (
    <div class={`rg-flow__scroll rg-flow__scroll--${side}`} ref={props.box} onScroll={(event) => props.onScroll(event.currentTarget.scrollTop)}>
      <ol
        ref={list}
        class="rg-flow__tokens"
        aria-label={`${side === "query" ? "queries" : "keys"} (${props.name})`}
        style={{ height: `${units.length * column.row}px`, "--row": `${column.row}px` }}
        onKeyDown={onKeyDown}
      >
        {shown.map((index) => {
          const unit = units[index];
          if (!unit) return null;
          const mark = marks.get(index);
          const involved = mark !== undefined || followed.has(index) || locked.has(index);
          const classes = ["rg-flow__token"];
          if (unit.special) classes.push("rg-flow__token--special");
          if (followed.has(index)) classes.push("rg-flow__token--followed");
          if (locked.has(index)) classes.push("rg-flow__token--locked");
          if (props.quiet && !involved) classes.push("rg-flow__token--quiet");
          return (
            <li key={index} style={{ top: `${index * column.row}px` }}>
              <button
                type="button"
                class={classes.join(" ")}
                tabIndex={index === current ? 0 : -1}
                aria-pressed={locked.has(index)}
                aria-label={`${side} ${unit.first}: ${unit.label}${mark?.text ? `, ${mark.text}` : ""}`}
                title={unit.title === unit.label ? undefined : unit.title}
                style={mark && { "--share": `${Math.round(mark.share * 100)}%`, "--line": `var(--rg-head-${mark.color})` }}
                onPointerEnter={() => props.onFollow(index)}
                onFocus={() => catching.current || props.onFollow(index)}
                onClick={() => props.onLock(index)}
              >
                <span class="rg-flow__label">{unit.label}</span>
                <span class={`rg-flow__number rg-number${mark?.text ? " rg-flow__number--mark" : ""}`}>
                  {mark?.text || unit.first}
                </span>
                {locked.has(index) && <span class="rg-flow__lock" aria-hidden="true" />}
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
