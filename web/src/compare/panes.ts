/** Panes of a comparison: in what they differ, whether the two maps have one shape, and one scale. */
import { emptyExtent, widen } from "../color/scales";
import { isLong } from "../color/survey";
import type { Quantity, Source, Tile } from "../source";
import type { Pane, Scale } from "../state";
import type { Supply } from "../map/screen";
import type { Say } from "../words/words";

/** One window serves both panes when their maps have the same rows and columns. */
export function oneShape(one: Pane, other: Pane): boolean {
  return one.tap.rows === other.tap.rows && one.tap.columns === other.tap.columns;
}

/** True if a position means the same token in both, so that a difference compares like with like. */
export function sameTokens(one: Pane, other: Pane): boolean {
  const same = (name: "queries" | "keys") => {
    const [first, second] = [one.trace.axes[one.tap[name]]?.tokens, other.trace.axes[other.tap[name]]?.tokens];
    return first === second || (first?.length === second?.length && first?.every((token, i) => token === second?.[i]));
  };
  return Boolean(same("queries") && same("keys"));
}

/** Why there is no difference to show, in one sentence; null where there is. */
export function whyNoDifference(say: Say, one: Pane, other: Pane): string | null {
  if (oneShape(one, other)) return null;
  const size = ({ tap }: Pane) => `${tap.rows.toLocaleString("en")} × ${tap.columns.toLocaleString("en")}`;
  return say("compare.shapes", { one: size(one), other: size(other) });
}

/** Differences between the panes. */
export function differing(one: Pane, other: Pane): ("model" | "text" | "layer" | "head")[] {
  const parts: ["model" | "text" | "layer" | "head", boolean][] = [
    ["model", one.trace.model !== other.trace.model],
    ["text", one.trace.text !== other.trace.text],
    ["layer", one.tap.name !== other.tap.name],
    ["head", one.head !== other.head],
  ];
  return parts.filter(([, differs]) => differs).map(([name]) => name);
}

/** True if both maps have one color scale: a row or a logarithm is each map's own. */
export function onOneScale(panes: readonly Pane[], scale: Scale): boolean {
  const long = panes.some(({ tap }) => isLong(tap.rows, tap.columns));
  return scale === "linear" || (scale === "auto" && !long);
}

const SIDE = 256; // cells, of the coarse maps that tell the ends
const ROUND = 1e-9;

/** The color scale that holds both maps: zero to the largest weight or norm, all of the scores. */
export async function commonEnds(
  source: Source, panes: readonly Pane[], quantity: Quantity, signal?: AbortSignal,
): Promise<[number, number] | null> {
  const maps = await Promise.all(
    panes.map(({ trace, tap, head }) => {
      const level = Math.max(0, Math.ceil(Math.log2(Math.max(tap.rows, tap.columns) / SIDE)));
      const request = { tap: tap.name, head, level, row: 0, column: 0, height: SIDE, width: SIDE };
      return source.tile(trace.id, { ...request, quantity, reduce: "max", group: "token", every: 2 ** level }, signal);
    }),
  );
  const extent = quantity === "score" ? emptyExtent() : { low: 0, high: 0 };
  for (const { values } of maps) widen(extent, values);
  return extent.high - extent.low > ROUND ? [extent.low, extent.high] : null;
}

/** First minus second: positive where the first looks more. */
export function differenceOf(source: Source, first: Pane, second: Pane): Supply {
  const name = ({ trace, tap, head }: Pane) => `${trace.id} ${tap.name} ${head}`;
  return {
    key: `${name(first)} − ${name(second)}`,
    async tile(request, signal) {
      const of = ({ trace, tap, head }: Pane) => source.tile(trace.id, { ...request, tap: tap.name, head }, signal);
      return subtract(...(await Promise.all([of(first), of(second)])));
    },
  };
}

/** A cell that either map masks is masked. */
export function subtract(first: Tile, second: Tile): Tile {
  if (first.height !== second.height || first.width !== second.width) {
    throw new Error(
      `A difference needs two maps of the same shape; these tiles are ${first.height} × ${first.width} and ${second.height} × ${second.width}.`,
    );
  }
  const values = first.values.map((value, i) => value - second.values[i]!);
  return { values, height: first.height, width: first.width };
}
