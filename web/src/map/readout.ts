/** Description of a cell: its tokens, and its value with all digits. */
import type { Quantity, Reduce } from "../source";
import { count, full } from "../weights/numbers";
import type { Say } from "../words/words";
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
  say: Say;
  quantity: Quantity;
  reduce: Reduce;
  difference: boolean;
}

export function quantityName({ say, quantity, difference }: Omit<Named, "reduce">): string {
  return `${difference ? "Δ " : ""}${say(quantity)}`;
}

export function where(say: Say, reading: Reading, axes: Axes): string {
  const size = 2 ** reading.level;
  if (size > 1) return say("map.block", { queries: span(reading.row, size, axes.queries), keys: span(reading.column, size, axes.keys) });
  const [next, key] = [axes.queries.predicts(reading.row), `${reading.column} ${quoted(axes.keys.label(reading.column))}`];
  const query = `${say("query")} ${reading.row} ${quoted(axes.queries.label(reading.row))}`;
  return `${query}${next === null ? "" : ` (${say("drawer.predicts", { word: quoted(next) })})`} → ${say("key")} ${key}`;
}

export function what(reading: Reading, named: Named): string {
  const { value, level, every } = reading;
  const { say, reduce, difference } = named;
  if (value === null) return "…";
  if (Number.isNaN(value)) return say(level ? "map.masked.block" : "map.masked");
  const amount = `${quantityName(named)} ${full(value)}`;
  if (level === 0) return amount;
  const reduced = difference ? `${say(`map.between.${reduce}`)}, ` : `${say(`reduce.${reduce}`)} `;
  return `${reduced}${amount}${every > 1 ? `, ${say("map.every", { every })}` : ""}`;
}

function span(position: number, size: number, along: Positions): string {
  const first = Math.floor(position / size) * size;
  return `${count(first)}–${count(Math.min(first + size, along.length) - 1)}`;
}

function quoted(text: string): string {
  return `“${text}”`;
}
