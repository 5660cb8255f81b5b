/** One map minus another of the same shape, tile by tile. */
import type { Pane } from "../compare/panes";
import type { Source, Tile } from "../source";
import type { Supply } from "./screen";

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
