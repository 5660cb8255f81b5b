/** Commands of keys and buttons: fit, zoom, and move the focus while keeping it in view. */
import { batch } from "@preact/signals";
import type { Position, State } from "../../state";
import { axesOf, type Axes } from "../geometry/positions";
import { levelFor, panBy, reveal, toView, toViewport, zoomAt, type Plot, type View } from "../geometry/viewport";

// A map tells how large its window is; a viewport is looked through at one window size at a time.
const plots = new WeakMap<State["viewport"], Plot>();
const UNSEEN: Plot = { width: 640, height: 640 };

/** Takes a new window size: cells keep their size, and a focus that was in view stays there. */
export function setPlot(state: State, plot: Plot, { queries, keys, shape }: Axes): void {
  const before = plots.get(state.viewport);
  plots.set(state.viewport, { width: plot.width, height: plot.height });
  const viewport = state.viewport.peek();
  if (!before || !viewport || before.width === plot.width) return;
  const old = toView(viewport, shape, before);
  const focus = state.focus.peek();
  const [row, column] = focus ? [queries.of(focus.query), keys.of(focus.key)] : [-1, -1];
  const seen = (position: number, start: number, pixels: number) =>
    position >= start - 1 && position <= start + pixels / old.cell;
  const inView = focus && seen(row, old.row, before.height) && seen(column, old.column, before.width);
  const view = inView ? reveal(old, row, column, shape, plot) : old;
  state.viewport.value = toViewport(view, shape, plot);
}

/** Shows the whole map. */
export function fit(state: State): void {
  state.viewport.value = null;
}

/** Shows a cell and those around it, as large as they become. */
export function closeUp(state: State, { query, key }: Position): void {
  const seen = look(state);
  if (!seen) return;
  const { view, plot, axes } = seen;
  const near = zoomAt(view, Infinity, 0, 0, axes.shape, plot);
  const start = (position: number, pixels: number) => position + 0.5 - pixels / near.cell / 2;
  const close = panBy({ ...near, row: start(axes.queries.of(query), plot.height), column: start(axes.keys.of(key), plot.width) }, 0, 0, axes.shape, plot);
  state.viewport.value = toViewport(close, axes.shape, plot);
}

/** Zooms about the focus where it is in view, else about the middle. */
export function zoom(state: State, factor: number): void {
  const seen = look(state);
  if (!seen) return;
  const { view, plot, axes } = seen;
  const focus = state.focus.value;
  const x = focus ? (axes.keys.of(focus.key) + 0.5 - view.column) * view.cell : NaN;
  const y = focus ? (axes.queries.of(focus.query) + 0.5 - view.row) * view.cell : NaN;
  const inside = x >= 0 && y >= 0 && x <= plot.width && y <= plot.height;
  const [atX, atY] = inside ? [x, y] : [plot.width / 2, plot.height / 2];
  state.viewport.value = toViewport(zoomAt(view, factor, atX, atY, axes.shape, plot), axes.shape, plot);
}

/** Moves the focus by cells as they are shown: by blocks where the map is zoomed out. */
export function moveFocus(state: State, dRow: number, dColumn: number): void {
  const seen = look(state);
  if (!seen) return;
  const { view, plot, axes } = seen;
  const { rows, columns } = axes.shape;
  const focus = state.focus.value;
  const stride = 2 ** levelFor(view.cell, 1, axes.shape);
  const bounded = (position: number, length: number) => Math.max(0, Math.min(length - 1, position));
  // The first press only shows where the focus is: the middle of what is seen.
  const row = focus ? axes.queries.of(focus.query) + dRow * stride : Math.floor(view.row + middle(plot.height, view, rows));
  const column = focus ? axes.keys.of(focus.key) + dColumn * stride : Math.floor(view.column + middle(plot.width, view, columns));
  focusOn(state, { query: axes.queries.token(bounded(row, rows)), key: axes.keys.token(bounded(column, columns)) });
}

/** Sets the focus, in tokens, and brings it into view. */
export function focusOn(state: State, focus: Position): void {
  const seen = look(state);
  batch(() => {
    state.focus.value = focus;
    state.toward.value = focus.key;
    if (!seen || !state.viewport.value) return; // a map that fits shows every cell
    const { view, plot, axes } = seen;
    const moved = reveal(view, axes.queries.of(focus.query), axes.keys.of(focus.key), axes.shape, plot);
    if (moved.row !== view.row || moved.column !== view.column) {
      state.viewport.value = toViewport(moved, axes.shape, plot);
    }
  });
}

/** The rows and columns in view, for taking along; null where there is no map. */
export function inView(state: State): { row: number; column: number; height: number; width: number } | null {
  const seen = look(state);
  if (!seen) return null;
  const { view, plot, axes } = seen;
  const [row, column] = [Math.floor(view.row), Math.floor(view.column)];
  const count = (start: number, first: number, pixels: number, length: number) =>
    Math.min(length, Math.ceil(start + pixels / view.cell - 1e-6)) - first;
  const height = count(view.row, row, plot.height, axes.shape.rows);
  const width = count(view.column, column, plot.width, axes.shape.columns);
  return { row, column, height, width };
}

function middle(pixels: number, view: View, length: number): number {
  return Math.min(pixels / view.cell, length) / 2;
}

export function look(state: State): { view: View; plot: Plot; axes: Axes } | null {
  const trace = state.trace.value;
  const tap = state.tap.value;
  if (!trace || !tap) return null;
  const plot = plots.get(state.viewport) ?? UNSEEN;
  const axes = axesOf(trace, tap, state.group.value);
  return { view: toView(state.viewport.value, axes.shape, plot), plot, axes };
}
