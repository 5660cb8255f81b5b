/** Finds the cell that gave a block its color, by looking at the block more and more closely. */
import type { Layer } from "../paint/store";
import { blocks, TILE } from "../geometry/viewport";

interface Cell {
  row: number;
  column: number;
}

/** The largest cell of the block at `level` that holds the position `at`; null where all is masked. */
export async function strongest(layer: Pick<Layer, "fetch" | "shape">, at: Cell, level: number): Promise<Cell | null> {
  const { signal } = new AbortController();
  let [row, column] = [Math.floor(at.row / 2 ** level), Math.floor(at.column / 2 ** level)];
  while (level > 0) {
    const finer = Math.max(0, level - Math.log2(TILE));
    const side = 2 ** (level - finer);
    const part = {
      level: finer,
      row: row * side,
      column: column * side,
      height: Math.min(side, blocks(layer.shape.rows, finer) - row * side),
      width: Math.min(side, blocks(layer.shape.columns, finer) - column * side),
      every: 1,
    };
    const { values, width } = await layer.fetch(part, signal);
    let best = -1;
    for (let i = 0; i < values.length; i++) {
      if (values[i]! > (best < 0 ? -Infinity : values[best]!)) best = i;
    }
    if (best < 0) return null;
    row = part.row + Math.floor(best / width);
    column = part.column + (best % width);
    level = finer;
  }
  return { row, column };
}
