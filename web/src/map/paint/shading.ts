/** Colors of a frame: they follow what was seen of a map, and each change has a number. */
import type { Quantity, Reduce } from "../../source";
import type { Scale } from "../../state";
import { emptyBand, widenBand, type Band } from "./tiles";
import { between, coloring, emptyExtent, type Coloring, type Extent } from "../../color/scales";
import { isLong, steady, survey, type Automatic, type Piece, type Survey } from "../../color/survey";
import type { Layer, TileStore } from "./store";
import { places, TILE, type TileRange } from "../geometry/viewport";

export interface Settings {
  scale: Scale;
  quantity: Quantity;
  reduce: Reduce;
  difference: boolean;
  causal: boolean;
  ends: [number, number] | null;
}

let versions = 0;

export class Shading {
  by: Coloring | null = null;
  whole: Coloring | null = null; // with the ends of the data, whatever ends were dragged
  version = 0; // pictures painted at another one are out of date
  bands = new Map<number, Band>(); // of tile rows, for the row scale
  highest = 0; // value seen
  automatic: Automatic | null = null; // what an automatic scale found in view
  private surveyed: Layer | null = null;

  /** The ramp itself changed: every picture is out of date. */
  forget(): void {
    this.by = null;
  }

  /** True if colors changed. */
  follow(layer: Layer, level: number, settings: Settings): boolean {
    const { scale, quantity, reduce, difference, ends } = settings;
    const extent = extentOf(layer, reduce, level);
    this.highest = extent.high;
    const automatic = this.surveyed === layer ? this.automatic : null;
    this.whole = coloring(scale, quantity, difference, extent, layer.shape.columns, automatic);
    const by = between(this.whole, ends);
    const old = this.by;
    if (old && old.kind === by.kind && old.low === by.low && old.high === by.high && old.root === by.root) return false;
    this.by = by;
    this.version = ++versions;
    for (const band of this.bands.values()) band.colors = ++versions;
    return true;
  }

  /** Looks at the tiles in view, as far as the scale depends on them. */
  measure(store: TileStore, layer: Layer, range: TileRange, { scale, quantity, difference, causal }: Omit<Settings, "ends" | "reduce">): void {
    const auto = scale === "auto" && !difference && quantity !== "score";
    const long = isLong(layer.shape.rows, layer.shape.columns);
    const pieces = auto ? piecesOf(store, layer, range) : [];
    const now = survey(pieces, { perRow: causal && long, rooted: long, shares: quantity === "weight" });
    if (now) this.automatic = this.surveyed === layer ? steady(this.automatic, now) : now;
    else if (!auto || this.surveyed !== layer) this.automatic = null;
    this.surveyed = layer;
    if (now?.perRow) this.keep(bandsOf(now, range));
    else if (!auto) this.measureRows(store, layer, range, scale === "row" && !difference);
    else if (now) this.bands = new Map();
  }

  private measureRows(store: TileStore, layer: Layer, range: TileRange, wanted: boolean): void {
    const bands = new Map<number, Band>();
    for (const [row, column] of wanted ? places(range) : []) {
      const entry = store.get(layer, range.level, row, column);
      const band = bands.get(row) ?? emptyBand(TILE);
      bands.set(row, band);
      if (entry) widenBand(band, entry);
    }
    this.keep(bands);
  }

  /** Bands that did not change keep their pictures. */
  private keep(bands: Map<number, Band>): void {
    for (const [row, band] of bands) {
      const old = this.bands.get(row);
      band.colors = old && equal(old.low, band.low) && equal(old.high, band.high) ? old.colors : ++versions;
    }
    this.bands = bands;
  }
}

function piecesOf(store: TileStore, layer: Layer, range: TileRange): Piece[] {
  return [...places(range)].flatMap(([row, column]) => {
    const entry = store.get(layer, range.level, row, column);
    return entry ? { values: entry.values, width: entry.width, row: row * TILE, column: column * TILE } : [];
  });
}

function bandsOf({ firstRow, rowHighs }: Survey, range: TileRange): Map<number, Band> {
  const bands = new Map<number, Band>();
  for (let row = range.firstRow; row <= range.lastRow; row++) {
    const band = emptyBand(TILE);
    const from = row * TILE - firstRow;
    if (from + TILE > 0) band.high.set(rowHighs.subarray(Math.max(0, from), Math.max(0, from + TILE)), Math.max(0, -from));
    bands.set(row, band);
  }
  return bands;
}

/** Maxima of blocks share one scale at every level; means fade as blocks grow, and have their own. */
function extentOf({ extents }: Layer, reduce: Reduce, level: number): Extent {
  if (reduce === "mean") return extents[level] ?? emptyExtent();
  const all = emptyExtent();
  for (const each of extents) {
    if (!each) continue;
    all.low = Math.min(all.low, each.low);
    all.high = Math.max(all.high, each.high);
  }
  return all;
}

function equal(one: Float32Array, other: Float32Array): boolean {
  return one.every((each, i) => each === other[i]);
}
