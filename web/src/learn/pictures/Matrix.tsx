/** A small matrix as a table: every number has its color, and is written where there is room. */
import { useRef } from "preact/hooks";
import { useSize } from "../../weights/size";
import { useColors, type Kind } from "../../color/theme";
import type { Pointing } from "./props";
import { reach, type Matrix as Numbers } from "./rows";
import { brief, saying } from "./said";

interface MatrixProps extends Partial<Pointing> {
  name: string; // what the numbers are, "weight"
  kind: Kind;
  rows: readonly string[];
  columns: readonly string[] | null; // null: numbered from 1
  across: string; // what the columns are, "keys"
  values: Numbers;
  bare?: boolean; // its names are only read aloud, and small weights have color
}

const LEGIBLE = 40; // px of a cell, from which its number is written
const NAMED = 14; // px of a cell, from which its column is named
const LARGEST = 78;
const SMALLEST = 7;
const NAMES = 84; // px, of the rows' names

export function Matrix({ name, kind, rows, columns, across, values, bare = false, spotlight, onPoint, onChoose }: MatrixProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const color = useColors();
  const count = values[0]?.length ?? 0;
  const names = bare ? 0 : NAMES;
  const cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((width - names) / Math.max(1, count)) - 1));
  const scrolls = names + count * (cell + 1) > width; // then the arrow keys scroll it
  const legible = cell >= LEGIBLE;
  const most = kind === "weight" ? 1 : reach(values);
  const nameOf = (column: number) => columns?.[column] ?? String(column + 1);
  return (
    <div ref={frame} class="rg-matrix" {...(scrolls && { tabIndex: 0, role: "region", "aria-label": name })}>
      {width > 0 && (
        <table class="rg-matrix__table" aria-label={`${name}: a row for each word, columns are ${across}`} onPointerLeave={() => onPoint?.(null)}>
          <thead class={bare ? "rg-unseen" : undefined}>
            <tr>
              <td class="rg-matrix__corner">{across && `${across} →`}</td>
              {Array.from({ length: count }, (_, column) => (
                <th key={column} scope="col" class={`rg-matrix__column${columns && !legible ? " rg-matrix__column--steep" : ""}`}>
                  <span class={cell < NAMED ? "rg-unseen" : undefined}>{nameOf(column)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {values.map((row, i) => (
              <tr
                key={i}
                class={i === spotlight ? "rg-matrix__row rg-matrix__row--lit" : "rg-matrix__row"}
                onPointerEnter={() => onPoint?.(i)}
                onClick={() => onChoose?.(i)}
              >
                <th scope="row" class={bare ? "rg-unseen" : "rg-matrix__name"}>{rows[i]}</th>
                {row.map((value, j) => (
                  <td
                    key={j}
                    class={`rg-matrix__cell rg-number${value === null ? " rg-matrix__cell--hidden" : ""}`}
                    style={{ width: `${cell}px`, minWidth: `${cell}px`, ...(bare && { height: `${cell}px` }), ...color(kind, bare && value !== null ? Math.sqrt(value) : value, most) }}
                    {...saying(`${rows[i]}${columns ? " → " : ", number "}${nameOf(j)}: ${name}`, value)}
                  >
                    {legible ? (value === null ? "" : brief(value)) : ""}
                    {(!legible || value === null) && <span class="rg-unseen">{brief(value)}</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
