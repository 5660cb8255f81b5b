/** A small map held whole, and how its rows and columns become those of words. */
import type { Head, Quantity, Source, TapInfo, Tile } from "../source";
import type { Span } from "./units";

export type Weights = Tile;

/** Up to here a map is fetched whole; beyond, only the rows that are asked for. */
export const WHOLE = 256;

export function fitsWhole(tap: TapInfo): boolean {
  return tap.rows <= WHOLE && tap.columns <= WHOLE;
}

/** The lines show weights or norms; scores have no share to give, so weights stand in for them. */
export function shownQuantity(quantity: Quantity, tap: TapInfo): "weight" | "norm" {
  return quantity === "norm" && tap.quantities.includes("norm") ? "norm" : "weight";
}

/** A tile's longest side: a server gives no larger one. */
const LONGEST = 1024;

/** Rows `first` to `end` of a head's map over all keys, at full resolution; in tiles, which are joined. */
export async function fetchRows(
  source: Source, id: string, tap: TapInfo, head: Head, quantity: "weight" | "norm", rows: Span, signal?: AbortSignal,
): Promise<Weights> {
  const [height, width] = [rows.end - rows.first, tap.columns];
  const starts = (length: number) => Array.from({ length: Math.max(1, Math.ceil(length / LONGEST)) }, (_, i) => i * LONGEST);
  const places = starts(height).flatMap((row) => starts(width).map((column) => ({ row, column })));
  const tiles = await Promise.all(
    places.map(({ row, column }) =>
      source.tile(id, {
        tap: tap.name, head, quantity, level: 0, row: rows.first + row, column,
        height: Math.min(LONGEST, height - row), width: Math.min(LONGEST, width - column), reduce: "max", group: "token", every: 1,
      }, signal),
    ),
  );
  if (tiles.length === 1) return tiles[0] as Weights;
  const values = new Float32Array(height * width);
  tiles.forEach((tile, i) => {
    const { row, column } = places[i] as (typeof places)[number];
    for (let line = 0; line < tile.height; line++)
      values.set(tile.values.subarray(line * tile.width, (line + 1) * tile.width), (row + line) * width + column);
  });
  return { values, height, width };
}

/**
 * A map of units from a map of tokens: a unit's columns are summed, its rows averaged. A cell is
 * NaN only where the mask forbids all of it.
 */
export function grouped({ values, height, width }: Weights, rows: readonly Span[], columns: readonly Span[]): Weights {
  const units = new Float32Array(rows.length * columns.length);
  rows.forEach(({ first, end }, i) => {
    const inside = { first: Math.max(0, first), end: Math.min(end, height) };
    units.set(groupedRow((query) => values.subarray(query * width, (query + 1) * width), inside, columns), i * columns.length);
  });
  return { values: units, height: rows.length, width: columns.length };
}

/** A row of weights without its first key, where sinks are: the others add up to 1. */
export function withoutFirst(row: Float32Array): Float32Array {
  const rest = row.reduce((sum, weight, key) => sum + (key && weight ? weight : 0), 0); // NaN where the mask forbids
  return row.map((weight, key) => (key && rest > 0 ? weight / rest : 0));
}

/** One row of it. */
export function groupedRow(row: (query: number) => Float32Array, { first, end }: Span, columns: readonly Span[]): Float32Array {
  const sums = new Float64Array(columns.length).fill(NaN);
  for (let query = first; query < end; query++) {
    const values = row(query);
    columns.forEach((column, i) => {
      for (let key = column.first; key < column.end; key++) {
        const value = values[key] ?? NaN;
        if (!Number.isNaN(value)) sums[i] = (sums[i] || 0) + value / (end - first);
      }
    });
  }
  return Float32Array.from(sums);
}
