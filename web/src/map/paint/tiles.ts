/** Tiles to pixels: each is colored once into a bitmap, and every frame only places bitmaps. */
import { RAMP_LENGTH, type Ramp } from "../../color/ramps";
import { inCell } from "../../weights/numbers";
import type { Palette } from "../../color/theme";
import type { Drawing } from "../../picture/drawing";
import type { Quantity } from "../../source";
import type { Layout } from "../geometry/rulers";
import { color, fraction, type Coloring } from "../../color/scales";
import type { Entry, Layer, TileStore } from "./store";
import { places, TILE, topLevel, type TileRange, type View } from "../geometry/viewport";

/** Contents of one frame. */
export interface Scene {
  layer: Layer;
  store: TileStore;
  range: TileRange;
  view: View;
  layout: Layout;
  ratio: number; // device pixels per CSS pixel
  palette: Palette;
  coloring: Coloring;
  quantity: Quantity;
  colors: number; // changes with palette and coloring
  bands: Map<number, Band>; // of tile rows, for the row scale
}
/** Smallest and largest value of each row of a band of tiles. */
export interface Band {
  low: Float32Array;
  high: Float32Array;
  colors: number;
}

const NUMBERS = 44; // pixels of a cell that has room for its value
const LINES = 18; // pixels of a cell from which cells are set apart by lines
const TIE = 1 / 512; // pixels: an edge in the very middle of a pixel goes the way it is rounded
const CROP = 32; // blocks: bitmaps are cut in such steps, so that rounding does not change while panning

/** Places the tiles of a view; true if all of them are there and exact. */
export function paintTiles(ctx: Drawing, scene: Scene): boolean {
  const { range, layer, store, ratio, layout, view, palette } = scene;
  const edges = new Edges(view, layout, ratio);
  ctx.save();
  ctx.beginPath();
  const right = Math.min(edges.x(layer.shape.columns), Math.round((layout.left + layout.width) * ratio));
  const bottom = Math.min(edges.y(layer.shape.rows), Math.round((layout.top + layout.height) * ratio));
  ctx.rect(edges.left, edges.top, right - edges.left, bottom - edges.top);
  ctx.clip();
  ctx.fillStyle = palette.unloaded;
  ctx.fillRect(edges.left, edges.top, right - edges.left, bottom - edges.top);
  ctx.imageSmoothingEnabled = false;
  let ready = true;
  for (const [row, column] of places(range)) {
    const entry = store.get(layer, range.level, row, column);
    if (entry) place(ctx, scene, edges, entry, range.level, row, column);
    else standIn(ctx, scene, edges, row, column);
    ready &&= entry?.every === 1;
  }
  if (range.level === 0 && view.cell >= LINES) lines(ctx, scene, edges, right, bottom);
  if (range.level === 0 && view.cell >= NUMBERS) numbers(ctx, scene, edges);
  ctx.restore();
  return ready;
}

/** Until a tile comes: the part of a coarser one that it lies in, and what finer ones there are. */
function standIn(ctx: Drawing, scene: Scene, edges: Edges, row: number, column: number): void {
  const { layer, store, range } = scene;
  const top = topLevel(layer.shape);
  for (let level = range.level + 1; level <= top; level++) {
    const up = 2 ** (level - range.level);
    const entry = store.get(layer, level, Math.floor(row / up), Math.floor(column / up));
    if (!entry) continue;
    place(ctx, scene, edges, entry, range.level, row, column);
    break;
  }
  if (range.level === 0) return;
  for (let i = 0; i < 4; i++) {
    const [childRow, childColumn] = [2 * row + (i >> 1), 2 * column + (i & 1)];
    const entry = store.get(layer, range.level - 1, childRow, childColumn);
    if (entry) place(ctx, scene, edges, entry, range.level - 1, childRow, childColumn);
  }
}

/** Draws of `entry` what lies in the tile (row, column) of a level. */
function place(ctx: Drawing, scene: Scene, edges: Edges, entry: Entry, level: number, row: number, column: number): void {
  const block = 2 ** entry.level;
  const span = TILE * 2 ** level;
  const { view, layout } = scene;
  // In blocks of the entry, cut to what is seen.
  const top = Math.max(row * span, view.row);
  const left = Math.max(column * span, view.column);
  const bottom = Math.min((row + 1) * span, view.row + layout.height / view.cell);
  const right = Math.min((column + 1) * span, view.column + layout.width / view.cell);
  const first = (position: number, lowest: number, origin: number) =>
    Math.max(Math.floor(lowest / block), Math.floor(position / block / CROP) * CROP) - origin * TILE;
  const last = (position: number, highest: number, origin: number, length: number) =>
    Math.min(Math.ceil(highest / block) - origin * TILE, Math.ceil(position / block / CROP) * CROP - origin * TILE, length);
  const y0 = first(top, row * span, entry.row);
  const x0 = first(left, column * span, entry.column);
  const y1 = last(bottom, (row + 1) * span, entry.row, entry.height);
  const x1 = last(right, (column + 1) * span, entry.column, entry.width);
  if (y1 <= y0 || x1 <= x0) return;
  // Large cells end where the lines between them are drawn; small ones where the next tile begins.
  const exact = entry.level === 0 && view.cell >= LINES;
  const x = edges.x((entry.column * TILE + x0) * block, exact);
  const y = edges.y((entry.row * TILE + y0) * block, exact);
  const width = edges.x((entry.column * TILE + x1) * block, exact) - x;
  const height = edges.y((entry.row * TILE + y1) * block, exact) - y;
  const picture = pictureOf(entry, scene);
  if (entry.masked) hatched(ctx, scene.palette.hatch, edges, x, y, width, height);
  ctx.drawImage(picture, x0, y0, x1 - x0, y1 - y0, x, y, width, height);
}

/** The hatching moves with the map. */
function hatched(ctx: Drawing, pattern: string | CanvasPattern, edges: Edges, x: number, y: number, width: number, height: number): void {
  const [originX, originY] = [edges.x(0), edges.y(0)];
  ctx.save();
  ctx.translate(originX, originY);
  ctx.fillStyle = pattern;
  ctx.fillRect(x - originX, y - originY, width, height);
  ctx.restore();
}

function pictureOf(entry: Entry, scene: Scene): ImageBitmap {
  const band = entry.level === scene.range.level ? scene.bands.get(entry.row) : undefined;
  const colors = scene.coloring.kind === "row" && band ? band.colors : scene.colors;
  if (entry.picture && entry.painted === colors) return entry.picture;
  entry.picture?.close();
  let rows = band;
  if (scene.coloring.kind === "row" && !rows) {
    rows = emptyBand(entry.height);
    widenBand(rows, entry);
  }
  entry.picture = colored(entry, scene.coloring, scene.palette.ramp, rows);
  entry.painted = colors;
  return entry.picture;
}

let canvas: OffscreenCanvas | null = null;

function colored(entry: Entry, by: Coloring, ramp: Ramp, rows: Band | undefined): ImageBitmap {
  const { width, height } = entry;
  canvas ??= new OffscreenCanvas(width, height);
  canvas.width = width;
  canvas.height = height;
  const pixels = new Uint32Array(width * height);
  entry.masked = color(entry.values, width, pixels, by, ramp, rows);
  canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height), 0, 0);
  return canvas.transferToImageBitmap();
}

export function emptyBand(rows: number): Band {
  return { low: new Float32Array(rows), high: new Float32Array(rows), colors: -1 };
}

/** Takes a tile's rows into account; weights and norms count from zero, scores from their lowest. */
export function widenBand(band: Band, { values, width }: Pick<Entry, "values" | "width">): void {
  for (let i = 0, row = 0, column = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value > band.high[row]!) band.high[row] = value;
    if (value < band.low[row]! && value > -Infinity) band.low[row] = value;
    if (++column === width) {
      column = 0;
      row += 1;
    }
  }
}

function lines(ctx: Drawing, scene: Scene, edges: Edges, right: number, bottom: number): void {
  const { view, layer, palette } = scene;
  ctx.fillStyle = palette.rule;
  for (let column = Math.ceil(view.column); column <= layer.shape.columns; column++) {
    const x = edges.x(column);
    if (x > right) break;
    ctx.fillRect(x - 1, edges.top, 1, bottom - edges.top);
  }
  for (let row = Math.ceil(view.row); row <= layer.shape.rows; row++) {
    const y = edges.y(row);
    if (y > bottom) break;
    ctx.fillRect(edges.left, y - 1, right - edges.left, 1);
  }
}

/** True if something of half that length about a middle lies between two edges. */
export function fits(middle: number, half: number, low: number, high: number): boolean {
  return middle - half >= low && middle + half <= high;
}

/** Prints the value in each cell that is seen with it, in the ink that reads better on it. */
function numbers(ctx: Drawing, scene: Scene, edges: Edges): void {
  const { view, layout, range, layer, store, palette, ratio, coloring } = scene;
  const size = Math.min(12, (view.cell - 4) / 3.2); // five characters of 0.6 em
  const [across, down] = [0.3 * size * ratio, 0.4 * size * ratio]; // half a character's size
  const [right, bottom] = [edges.left + layout.width * ratio, edges.top + layout.height * ratio];
  ctx.font = palette.mono.replace(/^\S+/, `${(size * ratio).toFixed(1)}px`);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const lastRow = Math.min(layer.shape.rows, Math.ceil(view.row + layout.height / view.cell));
  const lastColumn = Math.min(layer.shape.columns, Math.ceil(view.column + layout.width / view.cell));
  for (const [tileRow, tileColumn] of places(range)) {
    const entry = store.get(layer, 0, tileRow, tileColumn);
    if (!entry) continue;
    const texts = (entry.texts ??= new Map());
    const band = scene.bands.get(tileRow);
    for (let row = Math.max(Math.floor(view.row), tileRow * TILE); row < Math.min(lastRow, (tileRow + 1) * TILE); row++) {
      const y = (edges.y(row) + edges.y(row + 1)) / 2;
      if (!fits(y, down, edges.top, bottom)) continue;
      const inRow = row - tileRow * TILE;
      for (let column = Math.max(Math.floor(view.column), tileColumn * TILE); column < Math.min(lastColumn, (tileColumn + 1) * TILE); column++) {
        const i = inRow * entry.width + column - tileColumn * TILE;
        const value = entry.values[i]!;
        if (value !== value) continue;
        let text = texts.get(i);
        if (text === undefined) texts.set(i, (text = inCell(value, scene.quantity)));
        const x = (edges.x(column) + edges.x(column + 1)) / 2;
        if (!text || !fits(x, across * text.length, edges.left, right)) continue;
        const place = fraction(coloring, value, band?.low[inRow], band?.high[inRow]);
        ctx.fillStyle = palette.ink[palette.inkOf[Math.round(place * (RAMP_LENGTH - 1))] as 0 | 1];
        ctx.fillText(text, x, y);
      }
    }
  }
}

/** Cell edges on whole device pixels; all move together while panning. */
export class Edges {
  readonly left: number;
  readonly top: number;
  private scale: number;
  private offsetX: number;
  private offsetY: number;

  constructor(view: View, layout: Layout, ratio: number) {
    this.scale = view.cell * ratio;
    this.left = Math.round(layout.left * ratio);
    this.top = Math.round(layout.top * ratio);
    this.offsetX = this.left - Math.round(view.column * this.scale);
    this.offsetY = this.top - Math.round(view.row * this.scale);
  }

  /** `exact` edges are drawn by the pixels whose middle they lie before, which rounds them alike. */
  x(column: number, exact = false): number {
    const x = column * this.scale;
    return (exact ? x + TIE : Math.round(x)) + this.offsetX;
  }

  y(row: number, exact = false): number {
    const y = row * this.scale;
    return (exact ? y + TIE : Math.round(y)) + this.offsetY;
  }
}
