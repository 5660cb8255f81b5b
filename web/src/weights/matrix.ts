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
export function grouped(map: Weights, rows: readonly Span[], columns: readonly Span[]): Weights {
  const values = new Float32Array(rows.length * columns.length);
  rows.forEach((row, i) => {
    columns.forEach((column, j) => {
      let sum = 0;
      let lines = 0;
      let allowed = 0;
      for (let query = row.first; query < row.end; query++) {
        if (query < 0 || query >= map.height) continue;
        lines++;
        for (let key = column.first; key < column.end; key++) {
          const value = map.values[query * map.width + key];
          if (value === undefined || Number.isNaN(value)) continue;
          allowed++;
          sum += value;
        }
      }
      values[i * columns.length + j] = allowed ? sum / lines : NaN;
    });
  });
  return { values, height: rows.length, width: columns.length };
}
