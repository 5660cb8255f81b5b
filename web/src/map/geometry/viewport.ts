/** Place of the map in its window: arithmetic between positions and pixels. */
import type { Viewport } from "../../state";
import type { Size } from "../../weights/size";

/** Positions of the map, grouped if it is. */
export interface Shape {
  rows: number;
  columns: number;
}
/** The window on the map without its rulers, in CSS pixels. */
export type Plot = Size;
/** The window's top left corner in positions, and the pixels that one position takes. */
export interface View {
  row: number;
  column: number;
  cell: number;
}
/** Tiles that a window touches, ends included. */
export interface TileRange {
  level: number;
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

export const TILE = 256; // cells along a tile's side
const LARGEST_FIT = 64; // pixels: a map of few tokens does not blow up to fill the window
const LARGEST = 112; // pixels of a cell at the deepest zoom

export function fitCell(shape: Shape, plot: Plot): number {
  const filling = Math.min(plot.width / shape.columns, plot.height / shape.rows);
  return Math.max(Math.min(filling, LARGEST_FIT), 1e-6);
}

export function toView(viewport: Viewport | null, shape: Shape, plot: Plot): View {
  if (!viewport || !(viewport.columns > 0)) return { row: 0, column: 0, cell: fitCell(shape, plot) };
  const cell = plot.width / viewport.columns;
  return clamp({ row: viewport.row, column: viewport.column, cell }, shape, plot);
}

/** Window for the address bar; null where the whole map fits. */
export function toViewport(view: View, shape: Shape, plot: Plot): Viewport | null {
  if (view.cell <= fitCell(shape, plot) * (1 + 1e-6)) return null;
  return { row: view.row, column: view.column, columns: plot.width / view.cell };
}

/**
 * A map smaller than its window stays at the rulers. Beyond its ends no larger share of the window is
 * left empty than when the whole map fits: with less, zooming could not keep to the pointer.
 */
export function clamp(view: View, shape: Shape, plot: Plot): View {
  const fit = fitCell(shape, plot);
  const cell = Math.min(Math.max(view.cell, fit), Math.max(LARGEST, fit));
  const within = (start: number, length: number, pixels: number) => {
    const filled = Math.min(pixels, length * fit);
    return Math.max(0, Math.min(start, length - filled / cell));
  };
  return {
    row: within(view.row, shape.rows, plot.height),
    column: within(view.column, shape.columns, plot.width),
    cell,
  };
}

/** The position under (x, y) stays under it. */
export function zoomAt(view: View, factor: number, x: number, y: number, shape: Shape, plot: Plot): View {
  const { cell } = clamp({ ...view, cell: view.cell * factor }, shape, plot);
  return clamp(
    { row: view.row + y / view.cell - y / cell, column: view.column + x / view.cell - x / cell, cell },
    shape,
    plot,
  );
}

/** The map follows a pointer that moved by (dx, dy) pixels. */
export function panBy(view: View, dx: number, dy: number, shape: Shape, plot: Plot): View {
  const { row, column, cell } = view;
  return clamp({ row: row - dy / cell, column: column - dx / cell, cell }, shape, plot);
}

/** The least move that brings a position into the window, with a cell of margin where there is room. */
export function reveal(view: View, row: number, column: number, shape: Shape, plot: Plot): View {
  const seen = (start: number, position: number, pixels: number) => {
    const length = pixels / view.cell;
    const margin = Math.min(1, Math.max(0, (length - 1) / 2));
    return Math.max(Math.min(start, position - margin), position + 1 + margin - length);
  };
  const moved = {
    row: seen(view.row, row, plot.height),
    column: seen(view.column, column, plot.width),
    cell: view.cell,
  };
  return clamp(moved, shape, plot);
}

export function positionAt(view: View, x: number, y: number, shape: Shape, plot: Plot) {
  if (x < 0 || y < 0 || x >= plot.width || y >= plot.height) return null;
  const row = Math.floor(view.row + y / view.cell);
  const column = Math.floor(view.column + x / view.cell);
  return row < shape.rows && column < shape.columns ? { row, column } : null;
}

/** The finest level whose blocks take at least one device pixel: below that, maxima would be skipped. */
export function levelFor(cell: number, ratio: number, shape: Shape): number {
  const needed = Math.ceil(-Math.log2(cell * ratio) - 1e-9);
  return Math.min(Math.max(needed, 0), topLevel(shape));
}

/** The level at which one tile holds the whole map. */
export function topLevel(shape: Shape): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(shape.rows, shape.columns) / TILE)));
}

export function tilesIn(view: View, level: number, shape: Shape, plot: Plot, into: TileRange): TileRange {
  const side = TILE * 2 ** level;
  const last = (start: number, pixels: number, length: number) =>
    Math.max(0, Math.ceil(Math.min(start + pixels / view.cell, length) / side) - 1);
  into.level = level;
  into.firstRow = Math.floor(view.row / side);
  into.firstColumn = Math.floor(view.column / side);
  into.lastRow = Math.max(into.firstRow, last(view.row, plot.height, shape.rows));
  into.lastColumn = Math.max(into.firstColumn, last(view.column, plot.width, shape.columns));
  return into;
}

/** Tiles of a range, row by row. */
export function* places({ firstRow, lastRow, firstColumn, lastColumn }: Omit<TileRange, "level">): Generator<readonly [row: number, column: number]> {
  for (let row = firstRow; row <= lastRow; row++) for (let column = firstColumn; column <= lastColumn; column++) yield [row, column];
}

/** Number of a level's blocks along a side of so many positions. */
export function blocks(length: number, level: number): number {
  return Math.ceil(length / 2 ** level);
}
