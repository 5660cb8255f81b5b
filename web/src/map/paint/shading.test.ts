/** A long causal map shows something as it opens, whatever model it is of. */
import { expect, test } from "vitest";
import { RAMP_LENGTH } from "../../color/ramps";
import { color } from "../../color/scales";
import { TILE } from "../geometry/viewport";
import { TileStore } from "./store";
import { Shading } from "./shading";

const LENGTH = 4096;
const LEVEL = 3;
const SIDE = LENGTH / 2 ** LEVEL;
const RAMP = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => i + 1); // 0 is a masked pixel

/** Numbers between 0 and 1 that a test can repeat (mulberry32). */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The largest weight of each block of a causal map, row by row. */
function maxima(score: (query: number, key: number, normal: () => number) => number): Float32Array {
  const draw = random(7);
  const normal = () => draw() + draw() + draw() + draw() - 2; // variance 1/3
  const found = new Float32Array(SIDE * SIDE).fill(NaN);
  const row = new Float32Array(LENGTH);
  for (let query = 0; query < LENGTH; query++) {
    let sum = 0;
    for (let key = 0; key <= query; key++) sum += row[key] = Math.exp(score(query, key, normal));
    const block = (query >> LEVEL) * SIDE;
    for (let key = 0; key <= query; key++) {
      const at = block + (key >> LEVEL);
      const weight = row[key]! / sum;
      if (!(found[at]! >= weight)) found[at] = weight;
    }
  }
  return found;
}

const MAPS = {
  // Scores of unit variance, as an untrained model has them.
  random: () => maxima((_query, _key, normal) => Math.sqrt(3) * normal()),
  // A sink with most of the weight, a neighborhood, and words that are looked for.
  trained: () => maxima((query, key, normal) => (key ? 3 * normal() - Math.min(6, (query - key) / 100) : 10)),
};

/** Part of the allowed pixels above a quarter of the ramp, once all tiles have come. */
async function shown(values: Float32Array, scale: "auto" | "linear"): Promise<number> {
  const store = new TileStore(() => undefined);
  const layer = store.layer("a", { rows: LENGTH, columns: LENGTH }, async ({ row, column, height, width }) => {
    const part = new Float32Array(height * width);
    for (let y = 0; y < height; y++) part.set(values.subarray((row + y) * SIDE + column, (row + y) * SIDE + column + width), y * width);
    return { values: part, height, width };
  });
  const range = { level: LEVEL, firstRow: 0, lastRow: 1, firstColumn: 0, lastColumn: 1 };
  const wants = [0, 1, 2, 3].map((i) => ({ level: LEVEL, row: i >> 1, column: i & 1, every: 1 }));
  store.want(layer, wants);
  await new Promise((done) => setTimeout(done));
  const shading = new Shading();
  const settings = { scale, quantity: "weight", reduce: "max", difference: false, causal: true, ends: null } as const;
  shading.measure(store, layer, range, settings);
  shading.follow(layer, LEVEL, settings);
  let [allowed, dark] = [0, 0];
  for (const { row, column } of wants) {
    const { values: tile, width } = store.get(layer, LEVEL, row, column)!;
    const pixels = new Uint32Array(TILE * TILE);
    color(tile, width, pixels, shading.by!, RAMP, shading.bands.get(row));
    for (const pixel of pixels) {
      if (!pixel) continue;
      allowed += 1;
      if (pixel - 1 > (RAMP_LENGTH - 1) / 4) dark += 1;
    }
  }
  expect(allowed).toBeGreaterThan((SIDE * SIDE) / 2);
  return dark / allowed;
}

test.each(Object.entries(MAPS))("4,096 tokens of a %s model: a tenth of the allowed pixels is above a quarter of the ramp", async (_name, make) => {
  const values = make();
  expect(await shown(values, "auto")).toBeGreaterThan(0.1);
  expect(await shown(values, "linear")).toBeLessThan(0.02);
});
