/** From a value to its color: a place on the ramp, linear, logarithmic, a root, or relative to its row. */
import type { Quantity } from "../source";
import type { Scale } from "../state";
import type { Ramp } from "./ramps";
import type { Automatic } from "./survey";

/** The smallest and largest value seen. */
export interface Extent {
  low: number;
  high: number;
}
/** Meaning of the colors: `low` has the first color, `high` the last. For "row" both are shares of the row's largest. */
export interface Coloring {
  kind: "linear" | "log" | "row";
  low: number;
  high: number;
  diverging: boolean;
  root?: number; // which root of the share between the ends is shown; the share itself if absent
}
export interface Tick {
  value: number;
  place: number; // 0…1 along the legend
}

export const emptyExtent = (): Extent => ({ low: Infinity, high: -Infinity });

/** Widens `extent` by a tile. */
export function widen(extent: Extent, values: Float32Array): void {
  let { low, high } = extent;
  for (const value of values) {
    if (value < low && value > -Infinity) low = value;
    if (value > high && value < Infinity) high = value;
  }
  Object.assign(extent, { low, high });
}

/** The scale asked for, from end to end of the data. */
export function coloring(
  scale: Scale,
  quantity: Quantity,
  difference: boolean,
  extent: Readonly<Extent>,
  columns: number,
  automatic: Automatic | null = null,
): Coloring {
  const seen = extent.high >= extent.low;
  if (difference) {
    const reach = (seen && Math.max(Math.abs(extent.low), Math.abs(extent.high))) || 1;
    return { kind: "linear", low: -reach, high: reach, diverging: true };
  }
  if (scale === "auto" && quantity !== "score" && automatic) {
    const { perRow, high, root } = automatic;
    return { kind: perRow ? "row" : "linear", low: 0, high, diverging: false, ...(root > 1 && { root }) };
  }
  if (scale === "row") return { kind: "row", low: 0, high: 1, diverging: false };
  if (quantity === "score") {
    // Scores are logarithms of weights up to a constant per row: a log scale of them means nothing.
    const [low, high] = seen ? [extent.low, extent.high] : [-1, 1];
    return { kind: "linear", low, high: high > low ? high : low + 1, diverging: false };
  }
  if (scale === "linear" && quantity === "weight") return { kind: "linear", low: 0, high: 1, diverging: false };
  const high = seen && extent.high > 0 ? extent.high : 1;
  if (scale === "log") {
    // A tenth of what each key would get were all looked at alike, and three decades at least.
    const low = Math.min(high / 1000, (quantity === "weight" ? 0.1 : 0.1 * high) / columns);
    return { kind: "log", low, high, diverging: false };
  }
  return { kind: "linear", low: 0, high, diverging: false };
}

/** The scale with ends that were dragged; ends that it cannot have are passed over. */
export function between(by: Coloring, ends: readonly [number, number] | null): Coloring {
  if (!ends || !(ends[1] > ends[0]) || (by.kind === "log" && ends[0] <= 0)) return by;
  return { ...by, low: ends[0], high: ends[1] };
}

/** Place of a value between the ends, 0…1; `rowLow` and `rowHigh` matter to the row scale only. */
export function fraction(by: Coloring, value: number, rowLow = 0, rowHigh = 1): number {
  let place: number;
  if (by.kind === "log") {
    place = Math.log(value / by.low) / Math.log(by.high / by.low);
  } else {
    const given = by.kind === "row" ? (value - rowLow) / (rowHigh - rowLow || 1) : value;
    place = (given - by.low) / (by.high - by.low);
  }
  if (!(place > 0)) return 0;
  return place < 1 ? (by.root ? place ** (1 / by.root) : place) : 1;
}

/** Fills `pixels` from the ramp; what the mask forbids stays clear. True if there is any of that. */
export function color(
  values: Float32Array,
  width: number,
  pixels: Uint32Array,
  by: Coloring,
  ramp: Ramp,
  rows?: { low: Float32Array; high: Float32Array },
): boolean {
  const colors = by.root ? rooted(ramp, by.root) : ramp;
  const last = colors.length - 1;
  if (by.kind !== "log") return colorRows(values, width, pixels, by, colors, by.kind === "row" ? rows : undefined);
  let masked = false;
  const { root: _, ...plain } = by; // the table has it
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value === value) pixels[i] = colors[Math.round(fraction(plain, value) * last)]!;
    else masked = true;
  }
  return masked;
}

/** The same on a linear scale, of each row its own where `rows` are given: what a row's cells share is computed once. */
function colorRows(
  values: Float32Array,
  width: number,
  pixels: Uint32Array,
  by: Coloring,
  colors: Ramp,
  rows?: { low: Float32Array; high: Float32Array },
): boolean {
  const last = colors.length - 1;
  let masked = false;
  for (let row = 0, i = 0; i < values.length; row++) {
    const low = rows?.low[row] ?? 0;
    const extent = (rows?.high[row] ?? 1) - low || 1;
    const scale = last / (extent * (by.high - by.low));
    const first = low + by.low * extent;
    for (const end = i + width; i < end; i++) {
      const value = values[i]!;
      const place = (value - first) * scale;
      if (place >= 0) pixels[i] = colors[place < last ? (place + 0.5) | 0 : last]!;
      else if (value === value) pixels[i] = colors[0]!;
      else masked = true;
    }
  }
  return masked;
}

const FINE = 4096; // entries: a root is steep where the ramp begins
const tables = new WeakMap<Ramp, Map<number, Ramp>>();

/** The ramp by the root of the place on it, so that a cell costs no power. */
function rooted(ramp: Ramp, root: number): Ramp {
  const known = tables.get(ramp) ?? new Map<number, Ramp>();
  tables.set(ramp, known);
  let table = known.get(root);
  if (!table) {
    table = Uint32Array.from({ length: FINE }, (_, i) => ramp[Math.round((i / (FINE - 1)) ** (1 / root) * (ramp.length - 1))]!);
    known.set(root, table);
  }
  return table;
}

/** Place of a value on the legend, 0…1. */
export function placeOf(by: Coloring, value: number): number {
  return fraction(by.kind === "row" ? { ...by, kind: "linear" } : by, value);
}

/** The value at a place on the legend. */
export function valueAt(by: Coloring, place: number): number {
  if (by.kind === "log") return by.low * (by.high / by.low) ** place;
  return by.low + place ** (by.root ?? 1) * (by.high - by.low);
}

/** Round values along the legend, `most` at the utmost. */
export function ticks(by: Coloring, most = 6): Tick[] {
  if (by.root && by.low === 0) return [{ value: 0, place: 0 }, ...rootTicks(by, most)];
  const values = by.kind === "log" ? decades(by.low, by.high, most) : roundSteps(by.low, by.high, most);
  return values.map((value) => ({ value, place: placeOf(by, value) }));
}

/** 1, 2 or 5 times a power of ten: the smallest such step that is at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function roundSteps(low: number, high: number, most: number): number[] {
  const step = roundStep((high - low) / Math.max(1, most - 1));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Rounded to the step's own digits: 3 × 0.1 reads 0.3.
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(Math.min(digits, 100))));
}

/** Ones, twos and fives of each decade from above, as far as they stand apart. */
function rootTicks(by: Coloring, most: number): Tick[] {
  const found: Tick[] = [];
  let next = 1;
  for (let power = Math.floor(Math.log10(by.high) + 1e-9); next > 1 / most && power > -12; power--) {
    for (const digit of [5, 2, 1]) {
      const value = Number(`${digit}e${power}`);
      const place = placeOf(by, value);
      if (value > by.high * (1 + 1e-9) || (found.length && next - place < 1 / most)) continue;
      if (place < 1 / most) break;
      found.unshift({ value, place });
      next = place;
    }
  }
  return found;
}

function decades(low: number, high: number, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first + 1) / most));
  const powers: number[] = [];
  for (let power = last; power >= first; power -= stride) powers.unshift(Number(`1e${power}`));
  return powers;
}

