/** What is pointed at and locked between two sides. Locks are kept as token positions, so that they outlive a change from
 * tokens to words. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { End, Pointed } from "../links/Links";
import type { Position, State } from "../state";
import type { Weights } from "../weights/matrix";
import { unitAt, type Span } from "../weights/units";

/** The word pointed at, and those locked, until `figure` is another one. */
export function useLocks(state: State, queries: readonly Span[], keys: readonly Span[], figure: readonly unknown[]) {
  const hover = useSignal<Pointed | null>(null);
  const columns = useSignal<number[]>([]);
  useEffect(() => {
    hover.value = null;
    columns.value = [];
  }, figure);
  useEffect(() => {
    state.toward.value = columns.value.at(-1) ?? null;
  }, [columns.value]);
  const locked = useMemo(() => lockedOn(queries, state.locked.value, keys, columns.value), [queries, keys, state.locked.value, columns.value]);
  const release = () => {
    state.locked.value = [];
    columns.value = [];
    hover.value = null;
  };
  return { hover, columns, locked, release };
}

/** Has the line above the picture speak of a cell. */
export function useAbout(state: State, cell: Position | null): void {
  useEffect(() => {
    state.about.value = cell;
    return () => {
      state.about.value = null;
    };
  }, [cell?.query, cell?.key]);
}

/** The units that hold one of the positions. */
export function overlapping(units: readonly Span[], positions: readonly number[]): Set<number> {
  return new Set(positions.map((position) => unitAt(units, position)).filter((index) => index >= 0));
}

/** What is locked on both sides: units that hold one of the positions of their side. */
function lockedOn(queries: readonly Span[], rows: readonly number[], keys: readonly Span[], columns: readonly number[]): Pointed[] {
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
