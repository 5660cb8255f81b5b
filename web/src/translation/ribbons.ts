/** Places of words and of the ribbons between them. "Along" is along the sentence, in px. */
import type { Weights } from "../weights/matrix";

export interface Extent {
  start: number;
  end: number;
}

/**
 * Words in one line: as wide as they are with a gap between, the gaps stretched so that the line
 * spans `total`, up to `widest`; what is then left over lies on both sides.
 */
export function linedUp(widths: readonly number[], gap: number, total: number, widest = 3 * gap): Extent[] {
  const natural = widths.reduce((sum, width) => sum + width, 0);
  const gaps = Math.max(1, widths.length - 1);
  const between = Math.min(widest, Math.max(gap, (total - natural) / gaps));
  let start = Math.max(0, (total - natural - between * (widths.length - 1)) / 2);
  return widths.map((width) => {
    const extent = { start, end: start + width };
    start = extent.end + between;
    return extent;
  });
}

export function length(widths: readonly number[], gap: number): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
}

export interface Ribbon {
  query: number; // index of the output's word
  key: number; // of the source's
  value: number;
  from: Extent; // on the source's edge
  to: Extent; // on the output's
}

export const THINNEST_SHARE = 0.03;

export interface Ribbons {
  ribbons: Ribbon[];
  left: number; // mean share of a row that is in no ribbon
}

/**
 * A ribbon's width is its share of a word's look, `band` for all of it. On a word that many look
 * at, they are narrowed together to fit. Ribbons lie in the order of their other ends, so that
 * those of one word do not cross.
 */
export function ribbons(map: Weights, source: readonly Extent[], output: readonly Extent[], band: number): Ribbons {
  const found: Ribbon[] = [];
  const sums = new Float64Array(map.width);
  let [shown, rows] = [0, 0];
  for (let query = 0; query < map.height; query++) {
    let any = false;
    for (let key = 0; key < map.width; key++) {
      const value = map.values[query * map.width + key]!;
      if (value > 0) any = true;
      if (!(value >= THINNEST_SHARE)) continue;
      const nowhere = { start: 0, end: 0 };
      found.push({ query, key, value, from: nowhere, to: nowhere });
      sums[key] = sums[key]! + value;
      shown += value;
    }
    if (any) rows++;
  }
  const fits = (extent: Extent, sum: number) => Math.min(1, (extent.end - extent.start) / Math.max(1e-9, sum * band));
  const place = (all: Ribbon[], end: "from" | "to", extent: Extent | undefined) => {
    if (!extent) return;
    const sum = all.reduce((total, ribbon) => total + ribbon.value, 0);
    const scale = band * fits(extent, sum);
    let at = (extent.start + extent.end - sum * scale) / 2;
    for (const ribbon of all) {
      ribbon[end] = { start: at, end: at + ribbon.value * scale };
      at += ribbon.value * scale;
    }
  };
  output.forEach((extent, query) => place(found.filter((each) => each.query === query), "to", extent));
  source.forEach((extent, key) => place(found.filter((each) => each.key === key), "from", extent));
  return { ribbons: found, left: rows ? Math.max(0, 1 - shown / rows) : 0 };
}

const PARTS = 28; // straight pieces of a curved edge

/**
 * The outline of a ribbon across `depth` px; downwards for lines, to the right for columns. It is
 * as wide across its own direction as at its ends, so that a slanting one looks no thinner.
 */
export function outline({ from, to }: Ribbon, depth: number, across: "down" | "right"): string {
  const [start, end] = [(from.start + from.end) / 2, (to.start + to.end) / 2];
  const [wide, narrow] = [from.end - from.start, to.end - to.start];
  const edges: [string[], string[]] = [[], []];
  for (let i = 0; i <= PARTS; i++) {
    const t = i / PARTS;
    // The cubic with level ends: control points at a half of the depth.
    const along = start + (end - start) * t * t * (3 - 2 * t);
    const deep = depth * (1.5 * t * (1 - t) + t ** 3);
    const [dAlong, dDeep] = [(end - start) * 6 * t * (1 - t), depth * (1.5 - 3 * t + 3 * t * t)];
    const half = (wide + (narrow - wide) * t) / 2 / Math.hypot(dAlong, dDeep);
    edges.forEach((edge, which) => {
      const out = which === 0 ? -half : half;
      const point = [along + out * dDeep, deep - out * dAlong];
      edge.push((across === "down" ? point : point.reverse()).map((value) => Math.round(10 * value) / 10).join(" "));
    });
  }
  return `M${[...edges[0], ...edges[1].reverse()].join("L")}Z`;
}
