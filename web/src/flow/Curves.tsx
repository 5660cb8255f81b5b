/** The lines between the columns, the faint bundle of those left out, and what is under the pointer. */
import { useSignal } from "@preact/signals";
import type { Size } from "../weights/size";
import type { Chosen } from "./heads";
import type { Column } from "./layout";
import { fan, lineAt, place, sheaf, stroke } from "./layout";
import type { Line, Lines } from "./lines";

const BACK = 0.22; // of the opacity of lines that leave the window, while nothing is followed

interface CurvesProps {
  shown: Lines & { total: number };
  heads: Chosen[];
  columns: Record<"query" | "key", Column>;
  size: Size;
  largest: number;
  followed: Record<"query" | "key", number[]>;
  color: number | null; // of the only head
  describe(line: Line): [string, string];
  onHover(line: Line | null): void;
  onAsk(line: Line): void;
}

export function Curves(props: CurvesProps) {
  const { shown, heads, columns, size, largest, followed } = props;
  const pointed = useSignal<{ line: Line; x: number; y: number } | null>(null);
  const draw = (line: Line) => stroke(line, columns.query, columns.key, size.width, largest, heads.length);
  const colorOf = (line: Line) => `var(--rg-head-${heads[line.slot]?.color ?? 0})`;

  const point = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const line = lineAt(shown.lines, columns.query, columns.key, size.width, heads.length, x, y);
    if (line?.query !== pointed.value?.line.query || line?.key !== pointed.value?.line.key) props.onHover(line);
    pointed.value = line && { line, x, y };
    return line;
  };
  const leave = () => {
    pointed.value = null;
    props.onHover(null);
  };

  // The bundle spreads from what is followed to the whole other side.
  const reach = (which: "query" | "key"): [number, number] => {
    const column = columns[which];
    const ends = followed[which].length ? followed[which] : [0, column.count - 1];
    const half = followed[which].length ? 2 : column.row / 2;
    return [place(column, Math.min(...ends)) - half, place(column, Math.max(...ends)) + half];
  };
  const any = followed.query.length + followed.key.length > 0;
  const rest = shown.total ? shown.more.value / shown.total : 0;
  const over = pointed.value && shown.lines.includes(pointed.value.line) ? pointed.value : null;
  const [title, value] = over ? props.describe(over.line) : ["", ""];
  return (
    <>
      <svg
        class={`rg-flow__lines${over ? " rg-flow__lines--pointed" : ""}`}
        width={size.width}
        height={size.height}
        aria-hidden="true"
        onPointerMove={point}
        onPointerLeave={leave}
        onClick={(event) => {
          const line = point(event as unknown as PointerEvent & { currentTarget: SVGSVGElement });
          if (line) props.onAsk(line);
        }}
      >
        {rest > 0 && (
          <path
            class="rg-flow__bundle"
            d={(any ? fan : sheaf)(size.width, reach("query"), reach("key"))}
            style={{ fill: props.color === null ? "var(--rg-muted)" : `var(--rg-head-${props.color})` }}
            fill-opacity={0.04 + 0.12 * rest}
          />
        )}
        {shown.lines.map((line) => {
          const { path, width, opacity, away } = draw(line);
          return (
            <path
              key={`${line.slot} ${line.query} ${line.key}`}
              d={path}
              style={{ stroke: colorOf(line) }}
              stroke-width={width}
              stroke-opacity={away && !any ? opacity * BACK : opacity}
              stroke-dasharray={away && any ? "6 4" : undefined}
            />
          );
        })}
        {over && <path class="rg-flow__over" d={draw(over.line).path} style={{ stroke: colorOf(over.line) }} stroke-width={draw(over.line).width + 1.5} />}
      </svg>
      {over && (
        <p class="rg-flow__tip" style={{ left: `${Math.min(Math.max(over.x, 60), size.width - 60)}px`, top: `${over.y}px` }}>
          {title}
          <span class="rg-number">{value}</span>
        </p>
      )}
    </>
  );
}
