/** A bounded store of tiles: what is wanted is asked for in order, what no longer is gets cancelled. */
import type { Tile } from "../../source";
import { sentence } from "../../state";
import { blocks, TILE, type Shape } from "../geometry/viewport";
import { emptyExtent, widen, type Extent } from "../../color/scales";

/** A tile to have, in the order of wanting; `every` is 1 where each of its rows is looked at. */
export interface Want {
  level: number;
  row: number; // in tiles
  column: number;
  every: number;
}
/** One tile of a layer. */
export interface Entry extends Want, Tile {
  used: number; // when it was last looked at
  // What the painter keeps with it:
  picture: ImageBitmap | null;
  painted: number; // the colors it was painted with
  masked: boolean; // has cells that the mask forbids
  texts: Map<number, string> | null; // of cells with their value printed
}
/** The same in cells. */
export type Part = Want & Omit<Tile, "values">;
/** One map: a head of a layer with its quantity, grouping and reduction, or a difference of two. */
export interface Layer {
  key: string;
  shape: Shape;
  fetch(part: Part, signal: AbortSignal): Promise<Tile>;
  entries: Map<number, Entry>;
  extents: Extent[]; // by level
}
interface Flight {
  layer: Layer;
  want: Want;
  abort: AbortController;
}

export const IN_FLIGHT = 4;
const KEPT = 224; // tiles: 112 MiB with their pictures
const PATIENCE = 2000; // milliseconds before a failed tile is asked for again

export function tileKey(level: number, row: number, column: number): number {
  return (level * 2 ** 20 + row) * 2 ** 20 + column;
}

export class TileStore {
  private layers = new Map<string, Layer>();
  private flights: Flight[] = [];
  private wants: Want[] = [];
  private wantedOf: Layer | null = null;
  private failed = new Map<string, { until: number; why: string }>();
  private clock = 0;
  private count = 0;

  /** `arrived` is called after each tile that came, or failed to. */
  constructor(private arrived: () => void, private kept = KEPT) {}

  /** The layer of this key; tiles that it had are still there. */
  layer(key: string, shape: Shape, fetch: Layer["fetch"]): Layer {
    let layer = this.layers.get(key);
    if (!layer) {
      layer = { key, shape, fetch, entries: new Map(), extents: [] };
      this.layers.set(key, layer);
    }
    return layer;
  }

  get(layer: Layer, level: number, row: number, column: number): Entry | undefined {
    const entry = layer.entries.get(tileKey(level, row, column));
    if (entry) entry.used = ++this.clock;
    return entry;
  }

  /** Request these tiles, the most important first; everything else under way is cancelled. */
  want(layer: Layer, wants: Want[]): void {
    this.wants = wants;
    this.wantedOf = layer;
    this.flights = this.flights.filter((flight) => {
      if (flight.layer === layer && wants.some((want) => same(want, flight.want))) return true;
      flight.abort.abort();
      return false;
    });
    this.launch();
  }

  /** Why a tile did not come; it is asked for again after a while. */
  refusal(layer: Layer, level: number, row: number, column: number): string | null {
    const failed = this.failed.get(failureKey(layer, level, row, column));
    return failed && failed.until > Date.now() ? failed.why : null;
  }

  get pending(): number {
    return this.flights.length;
  }

  close(): void {
    for (const { abort } of this.flights) abort.abort();
    this.flights = [];
    this.wants = [];
    for (const layer of this.layers.values()) {
      for (const entry of layer.entries.values()) entry.picture?.close();
    }
    this.layers.clear();
  }

  private launch(): void {
    const layer = this.wantedOf;
    if (!layer) return;
    for (const want of this.wants) {
      if (this.flights.length >= IN_FLIGHT) return;
      const have = layer.entries.get(tileKey(want.level, want.row, want.column));
      if (have && have.every <= want.every) continue;
      if (this.flights.some((flight) => flight.layer === layer && same(flight.want, want))) continue;
      if (this.refusal(layer, want.level, want.row, want.column)) continue;
      void this.fly(layer, want);
    }
  }

  private async fly(layer: Layer, want: Want): Promise<void> {
    const flight: Flight = { layer, want, abort: new AbortController() };
    this.flights.push(flight);
    try {
      const tile = await layer.fetch(partOf(want, layer.shape), flight.abort.signal);
      if (flight.abort.signal.aborted) return;
      this.failed.delete(failureKey(layer, want.level, want.row, want.column));
      this.keep(layer, want, tile);
    } catch (error) {
      if (flight.abort.signal.aborted) return;
      this.failed.set(failureKey(layer, want.level, want.row, want.column), { until: Date.now() + PATIENCE, why: sentence(error) });
      setTimeout(this.arrived, PATIENCE + 50);
    } finally {
      this.flights = this.flights.filter((other) => other !== flight);
    }
    this.launch();
    this.arrived();
  }

  private keep(layer: Layer, want: Want, tile: Tile): void {
    const key = tileKey(want.level, want.row, want.column);
    const before = layer.entries.get(key);
    if (before && before.every <= want.every) return;
    before?.picture?.close();
    const entry: Entry = { ...want, ...tile, used: ++this.clock, picture: null, painted: -1, masked: false, texts: null };
    layer.entries.set(key, entry);
    if (!before) this.count += 1;
    widen((layer.extents[entry.level] ??= emptyExtent()), entry.values);
    if (this.count > this.kept) this.evict(key);
  }

  /** Drops what was not looked at for longest; what just came stays. */
  private evict(newest: number): void {
    let oldest: { layer: Layer; key: number; entry: Entry } | null = null;
    for (const layer of this.layers.values()) {
      for (const [key, entry] of layer.entries) {
        if (key === newest && layer === this.wantedOf) continue;
        if (!oldest || entry.used < oldest.entry.used) oldest = { layer, key, entry };
      }
    }
    if (!oldest) return;
    oldest.entry.picture?.close();
    oldest.layer.entries.delete(oldest.key);
    if (!oldest.layer.entries.size && oldest.layer !== this.wantedOf) this.layers.delete(oldest.layer.key);
    this.count -= 1;
  }
}

/** The cells of a tile, cut at the map's ends. */
export function partOf(want: Want, shape: Shape): Part {
  const row = want.row * TILE;
  const column = want.column * TILE;
  const [height, width] = [Math.min(TILE, blocks(shape.rows, want.level) - row), Math.min(TILE, blocks(shape.columns, want.level) - column)];
  return { ...want, row, column, height, width };
}

function same(one: Want, other: Want): boolean {
  return one.level === other.level && one.row === other.row && one.column === other.column && one.every === other.every;
}

function failureKey(layer: Layer, level: number, row: number, column: number): string {
  return `${layer.key} ${tileKey(level, row, column)}`;
}
