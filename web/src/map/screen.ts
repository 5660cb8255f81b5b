/** One map on the page: keeps its tiles, paints a frame when something changed, answers the pointer. */
import { effect, signal, type Signal } from "@preact/signals";
import type { Ramp } from "../color/ramps";
import type { Tile, TileRequest } from "../source";
import type { Pane, State } from "../state";
import { sayIn } from "../words/words";
import { setPlot } from "./input/commands";
import { handOver } from "./input/hand";
import { Overlay, type Pointed } from "./paint/overlay";
import { paintTiles } from "./paint/tiles";
import { hatched, readPalette, type Palette } from "../color/theme";
import { painters, type Drawing } from "../picture/drawing";
import { plan } from "./geometry/plan";
import { axesOf, type Axes } from "./geometry/positions";
import type { Reading } from "./readout";
import { drawColumns, drawRows, longest, rowLabel, rulerSize, type Layout } from "./geometry/rulers";
import type { Coloring } from "../color/scales";
import type { Automatic } from "../color/survey";
import { Shading } from "./paint/shading";
import { TileStore, type Layer } from "./paint/store";
import { levelFor, places, TILE, tilesIn, toView, type TileRange, type View } from "./geometry/viewport";

/** Tiles from elsewhere than the source's own map: the difference of two. */
export interface Supply {
  key: string;
  tile(request: TileRequest, signal: AbortSignal): Promise<Tile>;
}
/** Map to show. */
export interface Target extends Pane {
  difference: Supply | null;
}
/** Facts of a frame for the legend; they change seldom. */
export interface Shown {
  coloring: Coloring;
  whole: Coloring; // with the ends of the data, whatever ends were dragged
  ramp: Ramp;
  level: number;
  every: number; // the coarsest pass among what is in view
  highest: number; // value seen
  automatic: Automatic | null; // what an automatic scale found in view
  failure: string | null;
}
export interface Parts {
  host: HTMLElement;
  canvas: HTMLCanvasElement;
  overlay: HTMLElement;
  live: HTMLElement;
}

const PERFORMANCE = typeof location === "object" && new URLSearchParams(location.search).has("perf");

export class Screen {
  readonly shown = signal<Shown | null>(null);
  /** Dragged ends of the color scale; a difference has its own, about zero. */
  readonly ends: Signal<[number, number] | null>;
  private ctx: CanvasRenderingContext2D;
  private overlay: Overlay;
  private store = new TileStore(() => this.changed(true));
  layer!: Layer;
  axes!: Axes;
  layout: Layout = { left: 0, top: 0, width: 0, height: 0 };
  private ratio = 1;
  private range: TileRange = { level: -1, firstRow: 0, lastRow: 0, firstColumn: 0, lastColumn: 0 };
  private palette: Palette | null = null;
  private shading = new Shading();
  private hand: ReturnType<typeof handOver>;
  private byKeyboard = false;
  private frame = 0;
  private stale = true; // tiles came or the layer changed: plan again
  private stops: (() => void)[] = [];

  constructor(
    private parts: Parts,
    private state: State,
    private target: Target,
  ) {
    this.ctx = parts.canvas.getContext("2d", { alpha: false })!;
    this.overlay = new Overlay(parts.overlay, parts.live);
    this.hand = handOver(parts.canvas, state, this);
    this.ends = target.difference ? signal(null) : state.ends;
    painters.set(parts.canvas, (drawing) => {
      const palette = readPalette(parts.host, (...of) => drawing.hatching(...of), this.differs, 1);
      this.draw(drawing, palette, 1);
    });
    const sizes = new ResizeObserver(() => this.resized());
    sizes.observe(parts.host);
    const theme = new MutationObserver(() => this.recolor());
    const page = parts.host.closest(".regard");
    if (page) theme.observe(page, { attributeFilter: ["data-theme"] });
    this.stops.push(
      () => sizes.disconnect(),
      () => theme.disconnect(),
      effect(() => this.turnTo()),
      effect(() => {
        state.viewport.value;
        this.ends.value;
        parts.canvas.dataset.ready = "false"; // until the next frame shows it
        this.changed();
      }),
      effect(() => void (state.hover.value, this.changed())),
      effect(() => void (state.focus.value, this.refocused())),
    );
  }

  /** A focus that came from elsewhere, as by the arrow keys, is described until the pointer moves. */
  private refocused(): void {
    this.byKeyboard = !this.hand.clicking();
    if (this.byKeyboard) this.hand.rest();
    this.changed();
  }

  /** Shows another map with the same window and colors. */
  show(target: Target): void {
    this.target = target;
    this.turnTo();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.hand.close();
    for (const stop of this.stops) stop();
    this.overlay.close();
    this.store.close();
  }

  /** The state's layer: its tiles may still be there from before. */
  private turnTo(): void {
    const { trace, tap, head, difference } = this.target;
    const { source } = this.state;
    const quantity = this.state.quantity.value;
    const reduce = this.state.reduce.value;
    const group = this.state.group.value;
    this.state.scale.value; // which colors it again
    const axes = axesOf(trace, tap, group);
    const key = [difference?.key ?? `${trace.id} ${tap.name} ${head}`, quantity, reduce, group].join(" ");
    const rest = { tap: tap.name, head, quantity, reduce, group };
    this.axes = axes;
    this.layer = this.store.layer(key, axes.shape, (part, signal) =>
      difference ? difference.tile({ ...rest, ...part }, signal) : source.tile(trace.id, { ...rest, ...part }, signal),
    );
    this.recolor();
    this.measure();
  }

  private recolor(): void {
    this.palette = null;
    this.parts.canvas.dataset.ready = "false";
    this.changed(true);
  }

  private resized(): void {
    this.measure();
    this.hand.rest();
    this.stale = true;
    this.paint(); // at once: a canvas of another size is empty until it is painted
  }

  /** Room for the rulers by their longest labels, and the rest for the plot. */
  private measure(): void {
    const { host, canvas } = this.parts;
    const [width, height] = [host.clientWidth, host.clientHeight];
    if (!width || !height || !this.ctx) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    const [across, down] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    if (canvas.width !== across) canvas.width = across;
    if (canvas.height !== down) canvas.height = down;
    const { queries, keys } = this.axes;
    const style = getComputedStyle(host);
    this.ctx.font = `${style.getPropertyValue("--rg-size-s") || "12px"} ${style.getPropertyValue("--rg-font") || "sans-serif"}`;
    const named = this.ctx.measureText(`query ${queries.axis} ↓ `).width + 28; // stands over the rows' ruler
    const rows = longest(this.ctx, queries.length, (i) => rowLabel(queries, i, this.both));
    const left = rulerSize(rows, named, this.both ? 190 : 120);
    const top = rulerSize(longest(this.ctx, keys.length, keys.label), 48, Math.min(110, height / 4));
    this.layout = { left, top, width: Math.max(1, width - left), height: Math.max(1, height - top) };
    setPlot(this.state, this.layout, this.axes);
    const figure = this.parts.host.parentElement!.style; // axis names and legend stand in line with the plot
    figure.setProperty("--rg-map-left", `${left}px`);
    figure.setProperty("--rg-map-top", `${top}px`);
  }

  /** Rows say what they read and predict where the page is wide enough. */
  private get both(): boolean {
    return this.parts.host.clientWidth >= 640;
  }

  changed(stale = false): void {
    this.stale ||= stale;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (PERFORMANCE) performance.mark("rg-frame-start");
      this.paint();
      if (PERFORMANCE) performance.measure("rg-frame", "rg-frame-start");
    });
  }

  get view(): View {
    return toView(this.state.viewport.peek(), this.axes.shape, this.layout);
  }

  get level(): number {
    return this.range.level;
  }

  private get differs(): boolean {
    return this.target.difference !== null;
  }

  private paint(): void {
    const { layout, ratio, layer, ctx } = this;
    if (layout.width <= 1 || !this.parts.canvas.isConnected) return;
    const view = this.view;
    this.palette ??= this.fresh();
    this.replan(view);
    const { range, palette } = this;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = palette.background;
    ctx.fillRect(0, 0, this.parts.canvas.width, this.parts.canvas.height);
    const ready = this.draw(ctx, palette, ratio);
    if (layer.entries.size) {
      this.state.painted.value = true;
      this.mark(ready, range.level);
    }
    this.point(view);
  }

  /** Tiles and rulers; true if all of the tiles are there and exact. */
  private draw(ctx: Drawing, palette: Palette, ratio: number): boolean {
    const { layer, store, range, view, layout, axes } = this;
    const { by, version, bands } = this.shading;
    const ready = paintTiles(ctx, { layer, store, range, view, layout, ratio, palette, quantity: this.state.quantity.peek(), coloring: by!, colors: version, bands });
    ctx.save();
    ctx.scale(ratio, ratio);
    drawRows(ctx, layout, view, axes.queries, palette, this.both);
    drawColumns(ctx, layout, view, axes.keys, palette);
    ctx.restore();
    return ready;
  }

  private fresh(): Palette {
    this.shading.forget();
    return readPalette(this.parts.host, (...of) => hatched(this.ctx, ...of), this.differs, this.ratio);
  }

  /** Asks for other tiles when the window reached some, and sets colors when what is seen changed. */
  private replan(view: View): void {
    const { layer, store, range, axes, layout } = this;
    const level = levelFor(view.cell, this.ratio, axes.shape);
    const { level: before, firstRow, lastRow, firstColumn, lastColumn } = range;
    tilesIn(view, level, axes.shape, layout, range);
    const there =
      level !== before || firstRow !== range.firstRow || lastRow !== range.lastRow ||
      firstColumn !== range.firstColumn || lastColumn !== range.lastColumn;
    const moved = there || this.stale;
    if (moved) {
      this.stale = false;
      const loaded = (at: number, row: number, column: number) => store.get(layer, at, row, column)?.every ?? Infinity;
      const refused = (at: number, row: number, column: number) => store.refusal(layer, at, row, column) !== null;
      store.want(layer, plan(range, axes.shape, axes.queries.grouped, loaded, refused));
    }
    const { scale, quantity, reduce } = this.state;
    const settings = {
      scale: scale.peek(), quantity: quantity.peek(), reduce: reduce.peek(), ends: this.ends.peek(),
      difference: this.differs, causal: this.target.tap.causal,
    };
    if (moved) this.shading.measure(store, layer, range, settings);
    if (this.shading.follow(layer, level, settings) || moved) this.tell();
  }

  private tell(): void {
    const { range, layer, store, palette } = this;
    const { by, whole } = this.shading;
    if (!palette || !by || !whole) return;
    let every = 1;
    let failure: string | null = null;
    for (const [row, column] of places(range)) {
      const entry = store.get(layer, range.level, row, column);
      if (entry) every = Math.max(every, entry.every);
      else failure ??= store.refusal(layer, range.level, row, column);
    }
    this.shown.value = {
      coloring: by, whole, ramp: palette.ramp, level: range.level, every, automatic: this.shading.automatic, highest: this.shading.highest, failure,
    };
  }

  /** For tests and tools: what the canvas shows now. */
  private mark(ready: boolean, level: number): void {
    const { dataset } = this.parts.canvas;
    if (dataset.ready !== String(ready)) dataset.ready = String(ready);
    if (dataset.level !== String(level)) dataset.level = String(level);
  }

  private point(view: View): void {
    const { axes, layout, state } = this;
    const here = this.hand.here();
    const hover = state.hover.peek();
    const focus = state.focus.peek();
    const place = (each: { query: number; key: number }) => ({ row: axes.queries.of(each.query), column: axes.keys.of(each.key) });
    const focused = focus && place(focus);
    const at = hover ? (here ?? place(hover)) : focused;
    const valid = at && at.row >= 0 && at.column >= 0;
    // Another map's pointer gives crosshair and labels here; the tooltip stays with the pointer.
    const tip = hover ? here !== null : this.byKeyboard && this.parts.canvas.matches(":focus");
    const pointed: Pointed | null = valid ? { reading: this.read(at.row, at.column), tip } : null;
    const named = { say: sayIn(state.language.peek()), quantity: state.quantity.peek(), reduce: state.reduce.peek(), difference: this.differs };
    this.overlay.show(pointed, focused && focused.row >= 0 && focused.column >= 0 ? focused : null, axes, view, layout, named);
  }

  /** The value at a position: of its cell at the level in view, or of a coarser one until that comes. */
  private read(row: number, column: number): Reading {
    const { layer, store, range } = this;
    for (let level = Math.max(0, range.level); level <= range.level + 20; level++) {
      const [y, x] = [Math.floor(row / 2 ** level), Math.floor(column / 2 ** level)];
      const entry = store.get(layer, level, Math.floor(y / TILE), Math.floor(x / TILE));
      if (!entry) continue;
      const value = entry.values[(y % TILE) * entry.width + (x % TILE)] ?? null;
      return { level, row, column, value, every: entry.every };
    }
    return { level: range.level, row, column, value: null, every: 1 };
  }
}
