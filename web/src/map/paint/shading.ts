/** Which colors a frame has: follows what was seen of a map, and numbers each change of it. */
import type { Quantity, Reduce } from "../../source";
import type { Scale } from "../../state";
import { emptyBand, widenBand } from "./tiles";
import type { Band } from "./tiles";
import { between, coloring, emptyExtent } from "../../color/scales";
import type { Coloring, Extent } from "../../color/scales";
import type { Layer, TileStore } from "./store";
import { TILE } from "../geometry/viewport";
import type { TileRange } from "../geometry/viewport";

export interface Settings {
  scale: Scale;
  quantity: Quantity;
  reduce: Reduce;
  difference: boolean;
  ends: [number, number] | null;
}

let versions = 0;

export class Shading {
  by: Coloring | null = null;
  whole: Coloring | null = null; // with the ends of the data, whatever ends were dragged
  version = 0; // pictures painted at another one are out of date
  bands = new Map<number, Band>(); // of tile rows, for the row scale

  /** The ramp itself changed: every picture is out of date. */
  forget(): void {
    this.by = null;
  }

  /** True if colors changed. */
  follow(layer: Layer, level: number, settings: Settings): boolean {
    const { scale, quantity, reduce, difference, ends } = settings;
    this.whole = coloring(scale, quantity, difference, extentOf(layer, reduce, level), layer.shape.columns);
    const by = between(this.whole, ends);
    const old = this.by;
    if (old && old.kind === by.kind && old.low === by.low && old.high === by.high) return false;
    this.by = by;
    this.version = ++versions;
    for (const band of this.bands.values()) band.colors = ++versions;
    return true;
  }

  /** For the row scale: each row's largest among the tiles in view. */
  measureRows(store: TileStore, layer: Layer, range: TileRange, wanted: boolean): void {
    const bands = new Map<number, Band>();
    for (let row = range.firstRow; wanted && row <= range.lastRow; row++) {
      const band = emptyBand(TILE);
      for (let column = range.firstColumn; column <= range.lastColumn; column++) {
        const entry = store.get(layer, range.level, row, column);
        if (entry) widenBand(band, entry);
      }
      const old = this.bands.get(row);
      band.colors = old && equal(old.low, band.low) && equal(old.high, band.high) ? old.colors : ++versions;
      bands.set(row, band);
    }
    this.bands = bands;
  }
}

/** Maxima of blocks share one scale at every level; means fade as blocks grow, and have their own. */
function extentOf({ extents }: Layer, reduce: Reduce, level: number): Extent {
  if (reduce === "mean") return extents[level] ?? emptyExtent();
  const all = emptyExtent();
  for (const each of extents) {
    if (!each) continue;
    all.low = Math.min(all.low, each.low);
    all.high = Math.max(all.high, each.high);
    all.highWithoutSink = Math.max(all.highWithoutSink, each.highWithoutSink);
  }
  return all;
}

function equal(one: Float32Array, other: Float32Array): boolean {
  return one.every((each, i) => each === other[i]);
}
