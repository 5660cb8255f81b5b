/** Tiles that a view needs, in order: a picture at once, then the exact one, then what is near. */
import type { Want } from "../paint/store";
import { blocks, places, TILE, topLevel, type Shape, type TileRange } from "./viewport";

/** Distance of the rows that a loaded tile was computed from; Infinity where none is. */
export type Loaded = (level: number, row: number, column: number) => number;
/** True if a tile was asked for and cannot be had, as what a saved page left out. */
export type Refused = (level: number, row: number, column: number) => boolean;

type Next = (level: number, row: number, column: number) => Want | null;

const CHEAP = 2; // levels whose tiles are exact at once: at most 1,024 × 1,024 cells
const NEAR = 2; // levels at which neighbors are fetched ahead
const DEAREST = 6; // level up to which the overview is made exact though it is not in view

/** The rows-apart of each pass over a tile: every pass looks at eight times as many rows. */
export function passes(level: number, grouped: boolean): number[] {
  if (level <= CHEAP || grouped) return [1]; // a preview of groups is not cheaper
  const all: number[] = [];
  for (let every = 2 ** level; every > 4; every /= 8) all.push(every);
  return [...all, 1];
}

export function plan(range: TileRange, shape: Shape, grouped: boolean, loaded: Loaded, refused: Refused): Want[] {
  const wants: Want[] = [];
  const next = (level: number, row: number, column: number): Want | null => {
    if (refused(level, row, column)) return null;
    const have = loaded(level, row, column);
    const every = passes(level, grouped).find((each) => each < have);
    return every === undefined ? null : { level, row, column, every };
  };
  const top = topLevel(shape);
  // The overview first: the ends of the color scale are its extremes.
  const overview = next(top, 0, 0);
  const unseen = loaded(top, 0, 0) === Infinity;
  if (overview && unseen) {
    if (overview.every > 1) return [overview]; // it is the first picture: nothing may slow it down
    wants.push(overview);
  }

  const visible = [...places(range)].flatMap(([row, column]) => {
    const { level } = range;
    return (refused(level, row, column) ? coarser(level, row, column, top, loaded, next) : next(level, row, column)) ?? [];
  });
  const middle = (first: number, last: number) => (first + last) / 2;
  const away = ({ row, column }: Want) =>
    Math.abs(row - middle(range.firstRow, range.lastRow)) +
    Math.abs(column - middle(range.firstColumn, range.lastColumn));
  // Coarse passes of all before a finer pass of any; the middle of the window first.
  visible.sort((one, other) => other.every - one.every || away(one) - away(other));
  wants.push(...visible);
  if (range.level <= NEAR) wants.push(...around(range, shape, next));
  if (overview && !unseen && (top <= DEAREST || grouped)) wants.push(overview);
  return distinct(wants);
}

/** The finest tile that can still be had where one was refused; null where there is a picture of it. */
function coarser(level: number, row: number, column: number, top: number, loaded: Loaded, next: Next): Want | null {
  for (let above = level + 1; above <= top; above++) {
    const [y, x] = [Math.floor(row / 2 ** (above - level)), Math.floor(column / 2 ** (above - level))];
    if (loaded(above, y, x) < Infinity) return null;
    const want = next(above, y, x);
    if (want) return want;
  }
  return null;
}

/** One tile further on every side. */
function around({ level, firstRow, lastRow, firstColumn, lastColumn }: TileRange, shape: Shape, next: Next): Want[] {
  const last = (length: number) => Math.ceil(blocks(length, level) / TILE) - 1;
  const wider = {
    firstRow: Math.max(0, firstRow - 1), lastRow: Math.min(last(shape.rows), lastRow + 1),
    firstColumn: Math.max(0, firstColumn - 1), lastColumn: Math.min(last(shape.columns), lastColumn + 1),
  };
  const inside = (row: number, column: number) => row >= firstRow && row <= lastRow && column >= firstColumn && column <= lastColumn;
  return [...places(wider)].flatMap(([row, column]) => (inside(row, column) ? null : next(level, row, column)) ?? []);
}

function distinct(wants: Want[]): Want[] {
  const seen = new Set<string>();
  return wants.filter(({ level, row, column, every }) => {
    const name = `${level} ${row} ${column} ${every}`;
    return !seen.has(name) && seen.add(name);
  });
}
