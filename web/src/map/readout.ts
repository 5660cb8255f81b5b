/** Description of a cell: its tokens, and its value with all digits. */
import type { Quantity, Reduce } from "../source";
import { count, full } from "../weights/numbers";
import type { Axes, Positions } from "./geometry/positions";

/** A cell of some level: at level 0 one query and one key, else a block of them. */
export interface Reading {
  level: number;
  row: number; // a position of the map
  column: number;
  value: number | null; // null: not loaded yet; NaN: masked
  every: number;
}
export interface Named {
  quantity: Quantity;
  reduce: Reduce;
  difference: boolean;
}

export function quantityName({ quantity, difference }: Pick<Named, "quantity" | "difference">): string {
  const name = quantity === "norm" ? "‖α·f(x)‖" : quantity;
  return difference ? `Δ ${name}` : name;
}

export function where(reading: Reading, axes: Axes): string {
  const size = 2 ** reading.level;
  if (size === 1) {
    const query = `query ${reading.row} ${quoted(axes.queries.label(reading.row))}`;
    const next = axes.queries.predicts(reading.row);
    const predicts = next === null ? "" : ` (predicts ${quoted(next)})`;
    return `${query}${predicts} → key ${reading.column} ${quoted(axes.keys.label(reading.column))}`;
  }
  return `queries ${span(reading.row, size, axes.queries)} → keys ${span(reading.column, size, axes.keys)}`;
}

export function what(reading: Reading, named: Named): string {
  const { value, level, every } = reading;
  if (value === null) return "…";
  if (Number.isNaN(value)) return level ? "masked: none of these queries may attend" : "masked: may not attend";
  const amount = `${quantityName(named)} ${full(value)}`;
  if (level === 0) return amount;
  const reduced = named.difference ? `between ${named.reduce === "max" ? "maxima" : "means"}, ` : named.reduce === "max" ? "largest " : "mean ";
  const preview = every > 1 ? `, of every ${ordinal(every)} row so far` : "";
  return `${reduced}${amount}${preview}`;
}

export function ordinal(number: number): string {
  const ending = number % 100 > 10 && number % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

function span(position: number, size: number, along: Positions): string {
  const first = Math.floor(position / size) * size;
  return `${count(first)}–${count(Math.min(first + size, along.length) - 1)}`;
}

function quoted(text: string): string {
  return `“${text}”`;
}
