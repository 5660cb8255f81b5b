/** Places of tokens and lines: two columns that scroll, and lines between their visible parts. */
import type { Line } from "./lines";

export const ROW = 28; // px, of one token
const TIGHT = 22; // px, of one where that puts all of them in sight
const MARGIN = 12; // tokens beyond the window that are on the page already, for scrolling
const THINNEST = 0.75;
const THICKEST = 8;
const APART = 3; // px between the same line of two heads

/** One column as it stands: how far it is scrolled, how much of it is seen, how many tokens it has. */
export interface Column {
  scroll: number;
  height: number;
  count: number;
  row: number; // px, of one token
}

/** Height of a token: smaller where all of them then fit. */
export function rowOf(height: number, count: number): number {
  return count * TIGHT <= height ? Math.min(ROW, height / count) : ROW;
}

/** Half-open range of the tokens that are put on the page. */
export function rendered({ scroll, height, count, row }: Column): [number, number] {
  const first = Math.max(0, Math.floor(scroll / row) - MARGIN);
  return [Math.min(first, count), Math.min(count, Math.ceil((scroll + height) / row) + MARGIN)];
}

/** -1 above the window, 0 within, 1 below. */
export function side(column: Column, index: number): -1 | 0 | 1 {
  const middle = (index + 0.5) * column.row - column.scroll;
  return middle < 0 ? -1 : middle > column.height ? 1 : 0;
}

/** The height at which a token's lines end; those beyond the window end at its edge. */
export function place(column: Column, index: number): number {
  const middle = (index + 0.5) * column.row - column.scroll;
  return Math.min(Math.max(middle, 0), column.height);
}

/** The scroll that brings a token to the middle. */
export function scrollTo(column: Column, index: number): number {
  const most = Math.max(0, column.count * column.row - column.height);
  return Math.min(most, Math.max(0, (index + 0.5) * column.row - column.height / 2));
}

export interface Stroke {
  path: string;
  width: number;
  opacity: number;
  away: boolean; // one of its ends lies outside the window
}

/** Path, width and opacity of a line; `largest` is the value that gets the full width. */
export function stroke(
  line: Line, queries: Column, keys: Column, width: number, largest: number, slots: number,
): Stroke {
  const shift = shifted(line.slot, slots, queries.row);
  const share = largest > 0 ? Math.min(1, line.value / largest) : 0;
  const from = place(queries, line.query) + shift;
  const to = place(keys, line.key) + shift;
  return {
    path: curve(0, from, width, to),
    width: THINNEST + (THICKEST - THINNEST) * share,
    opacity: 0.1 + 0.85 * share ** 0.8,
    away: side(queries, line.query) !== 0 || side(keys, line.key) !== 0,
  };
}

/** Level at both ends, so that it leaves and meets a token the way text runs. */
export function curve(x0: number, y0: number, x1: number, y1: number): string {
  const middle = round((x0 + x1) / 2);
  return `M${round(x0)} ${round(y0)}C${middle} ${round(y0)} ${middle} ${round(y1)} ${round(x1)} ${round(y1)}`;
}

/** The line nearest to a point between the columns, among those within reach; the stronger wins a tie. */
export function lineAt(
  lines: readonly Line[], queries: Column, keys: Column, width: number, slots: number, x: number, y: number,
): Line | null {
  const eased = risen(width > 0 ? x / width : 0);
  let nearest: Line | null = null;
  let least = 9;
  for (const line of lines) {
    const shift = shifted(line.slot, slots, queries.row);
    const from = place(queries, line.query) + shift;
    const away = Math.abs(from + (place(keys, line.key) + shift - from) * eased - y);
    if (away < least || (away === least && nearest && line.value > nearest.value)) [nearest, least] = [line, away];
  }
  return nearest;
}

/** Share of its height that a curve has covered at `across` of its width. */
export function risen(across: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const t = (low + high) / 2;
    if (1.5 * t * (1 - t) + t ** 3 < across) low = t;
    else high = t;
  }
  return low * low * (3 - 2 * low);
}

/** The bundle: from the tokens that look (or are looked at) to the reach of what is summed. */
export function fan(width: number, left: [number, number], right: [number, number]): string {
  const middle = round(width / 2);
  const [top, bottom] = left.map(round);
  const [above, below] = right.map(round);
  return (
    `M0 ${top}C${middle} ${top} ${middle} ${above} ${round(width)} ${above}` +
    `L${round(width)} ${below}C${middle} ${below} ${middle} ${bottom} 0 ${bottom}Z`
  );
}

/** The bundle where nothing is followed: a sheaf, drawn in at the middle. */
export function sheaf(width: number, left: [number, number], right: [number, number]): string {
  const middle = round(width / 2);
  const waist = round((left[0] + left[1] + right[0] + right[1]) / 4);
  const thick = 0.12 * (left[1] - left[0] + right[1] - right[0]);
  const [above, below] = [round(waist - thick), round(waist + thick)];
  return (
    `M0 ${round(left[0])}Q${middle} ${above} ${round(width)} ${round(right[0])}` +
    `L${round(width)} ${round(right[1])}Q${middle} ${below} 0 ${round(left[1])}Z`
  );
}

/** A token outside the window to which lines go, and what they carry. */
export interface Far {
  index: number;
  value: number;
}

/** The strongest tokens above (-1) or below (1) a column's window, and how much goes there at all. */
export function farTargets(
  lines: readonly Line[], end: "query" | "key", column: Column, where: -1 | 1, most = 3,
): { named: Far[]; value: number } {
  const sums = new Map<number, number>();
  let value = 0;
  for (const line of lines) {
    if (side(column, line[end]) !== where) continue;
    sums.set(line[end], (sums.get(line[end]) ?? 0) + line.value);
    value += line.value;
  }
  const named = [...sums].map(([index, sum]) => ({ index, value: sum })).sort((a, b) => b.value - a.value);
  return { named: named.slice(0, most), value };
}

function shifted(slot: number, slots: number, row: number): number {
  return (slot - (slots - 1) / 2) * Math.min(APART, (row - 8) / slots);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
