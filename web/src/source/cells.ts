/** Cells of a map made from its rows: grouped, reduced to a level, cut to a tile. The same tiles as
 * `tiles.py` makes, for sources without a server; tests/fixtures/tiles.json holds both to it. */
import type { Group, Tile, TileRequest, TraceInfo } from "../source";
import { groupedRow } from "../weights/matrix";
import { spansOf, type Span } from "../weights/units";

type Row = (query: number) => Float32Array;

/** What each row or column of a (grouped) map is of. */
export function spans(info: TraceInfo, axis: string, count: number, group: Group): Span[] {
  const found = info.axes[axis];
  return (found && spansOf(found, group))?.map(([first, end]) => ({ first, end })) ?? single(count);
}

const single = (count: number): Span[] => Array.from({ length: count }, (_, i) => ({ first: i, end: i + 1 }));

/** The tile that `request` asks for; tiles at the edges are smaller, tiles outside are empty. A cell covers so many rows and columns. */
export function reduced(request: Omit<TileRequest, "tap" | "head" | "quantity">, queries: readonly Span[], keys: readonly Span[], row: Row, block = 2 ** request.level): Tile {
  const stride = request.group === "token" ? Math.min(request.every, block) : 1;
  const height = Math.max(0, Math.min(request.height, Math.ceil(queries.length / block) - request.row));
  const width = Math.max(0, Math.min(request.width, Math.ceil(keys.length / block) - request.column));
  const values = new Float32Array(height * width).fill(NaN);
  const counts = new Uint32Array(request.reduce === "mean" ? values.length : 0);
  for (let y = 0; y < height; y++) {
    const first = (request.row + y) * block;
    for (let i = first; i < Math.min(first + block, queries.length); i++) {
      if (i % stride !== 0) continue;
      const line = request.group === "token" ? row(i) : groupedRow(row, queries[i] as Span, keys);
      for (let x = 0; x < width; x++) {
        const cell = y * width + x;
        const end = Math.min((request.column + x + 1) * block, keys.length);
        for (let j = (request.column + x) * block; j < end; j++) {
          const value = line[j] as number;
          if (Number.isNaN(value)) continue;
          const kept = values[cell] as number;
          if (request.reduce === "mean") {
            values[cell] = (Number.isNaN(kept) ? 0 : kept) + value;
            counts[cell] = (counts[cell] as number) + 1;
          } else if (!(kept >= value)) values[cell] = value;
        }
      }
    }
  }
  counts.forEach((count, cell) => {
    if (count > 1) values[cell] = (values[cell] as number) / count;
  });
  return { values, height, width };
}

/** The whole map with its larger side at most `size`, each cell the largest of what it covers. */
export function thumbnail(rows: number, columns: number, size: number, row: Row): Tile {
  const block = Math.max(1, Math.ceil(Math.max(rows, columns) / size));
  const whole = { level: 0, row: 0, column: 0, height: size, width: size, reduce: "max", group: "token", every: Math.max(1, Math.floor(block / 2)) } as const;
  return reduced(whole, single(rows), single(columns), row, block);
}
