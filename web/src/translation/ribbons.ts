/** Ribbons between the words of two sentences: how wide they are and where they end. */
import { middle, type Extent, type Strand } from "../links/layout";
import type { Weights } from "../weights/matrix";

export const THINNEST_SHARE = 0.03;

/**
 * A ribbon's width is its share of a word's look, `band` for all of it. On a word that many look
 * at, they are narrowed together to fit. Ribbons lie in the order of their other ends, so that
 * those of one word do not cross.
 */
export function ribbons(map: Weights, source: readonly Extent[], output: readonly Extent[], band: number): Strand[] {
  const found: Strand[] = [];
  map.values.forEach((value, i) => {
    const [query, key] = [Math.floor(i / map.width), i % map.width];
    if (value >= THINNEST_SHARE) found.push({ query, key, slot: 0, value, from: 0, to: 0, width: value * band });
  });
  const place = (all: Strand[], end: "from" | "to", extent: Extent) => {
    const whole = all.reduce((total, ribbon) => total + ribbon.value * band, 0);
    const scale = Math.min(1, (extent.end - extent.start) / Math.max(1e-9, whole));
    let at = middle(extent) - (whole * scale) / 2;
    for (const ribbon of all) {
      const width = ribbon.value * band * scale;
      ribbon[end] = at + width / 2;
      ribbon.width = Math.min(ribbon.width, width);
      at += width;
    }
  };
  output.forEach((extent, query) => place(found.filter((each) => each.query === query), "to", extent));
  source.forEach((extent, key) => place(found.filter((each) => each.key === key), "from", extent));
  return found;
}
