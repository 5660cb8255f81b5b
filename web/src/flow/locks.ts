/** Locks are kept as token positions, so that they outlive a change from tokens to words. */
import type { End, Pointed } from "../links/Links";
import type { Position } from "../state";
import type { Weights } from "../weights/matrix";
import { unitAt, type Span } from "../weights/units";

/** The units that hold one of the positions. */
export function overlapping(units: readonly Span[], positions: readonly number[]): Set<number> {
  return new Set(positions.map((position) => unitAt(units, position)).filter((index) => index >= 0));
}

/** What is locked on both sides: units that hold one of the positions of their side. */
export function lockedOn(queries: readonly Span[], rows: readonly number[], keys: readonly Span[], columns: readonly number[]): Pointed[] {
  const on = (side: End, units: readonly Span[], positions: readonly number[]) => [...overlapping(units, positions)].map((index): Pointed => ({ side, index }));
  return [...on("key", keys, columns), ...on("query", queries, rows)];
}

/** Locks a unit by its first token, or releases it by whichever token it was locked. */
export function positionsToggled(positions: readonly number[], unit: Span): number[] {
  const others = positions.filter((position) => position < unit.first || position >= unit.end);
  return others.length < positions.length ? others : [...positions, unit.first];
}

/** The largest cell of a block of a map of tokens; null where the mask forbids all of it. */
export function strongestCell(map: Weights, queries: Span, keys: Span): Position | null {
  let best: Position | null = null;
  let most = -Infinity;
  for (let query = queries.first; query < Math.min(queries.end, map.height); query++) {
    for (let key = keys.first; key < Math.min(keys.end, map.width); key++) {
      const value = map.values[query * map.width + key]!;
      if (value > most) [best, most] = [{ query, key }, value];
    }
  }
  return best;
}
