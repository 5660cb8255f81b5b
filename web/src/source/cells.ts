/** Cells of a map made from its rows: grouped, reduced to a level, cut to a tile. The same tiles as
 * `tiles.py` makes, for sources without a server; tests/fixtures/tiles.json holds both to it. */
import type { Group, Tile, TileRequest, TraceInfo } from "../source";

/** Half-open spans of tokens, one for each row or column of a (grouped) map. */
export type Spans = [number, number][];
type Row = (query: number) => Float32Array;

export function spans(info: TraceInfo, axis: string, count: number, group: Group): Spans {
  const single = (): Spans => Array.from({ length: count }, (_, i) => [i, i + 1]);
  const found = info.axes[axis];
  if (group === "token" || !found) return single();
  return (group === "word" ? found.words : found.sentences) ?? single();
}

/** One row of a grouped map: a group's columns are summed, its rows averaged; masked stays NaN. */
function grouped(row: Row, [from, to]: [number, number], keys: Spans): Float32Array {
  if (to - from === 1 && keys.every(([start, end]) => end - start === 1)) return row(from);
  const sums = new Float32Array(keys.length).fill(NaN);
  for (let query = from; query < to; query++) {
    const values = row(query);
    keys.forEach(([start, end], i) => {
      for (let key = start; key < end; key++) {
        const value = values[key] as number;
        if (!Number.isNaN(value)) sums[i] = (Number.isNaN(sums[i]) ? 0 : (sums[i] as number)) + value / (to - from);
      }
    });
  }
  return sums;
}

/** The tile that `request` asks for; tiles at the edges are smaller, tiles outside are empty. */
export function reduced(request: TileRequest, queries: Spans, keys: Spans, row: Row): Tile {
  const block = 2 ** request.level;
  const stride = request.group === "token" ? Math.min(request.every, block) : 1;
  const height = Math.max(0, Math.min(request.height, Math.ceil(queries.length / block) - request.row));
  const width = Math.max(0, Math.min(request.width, Math.ceil(keys.length / block) - request.column));
  const values = new Float32Array(height * width).fill(NaN);
  const counts = new Uint32Array(request.reduce === "mean" ? values.length : 0);
  for (let y = 0; y < height; y++) {
    const first = (request.row + y) * block;
    for (let i = first; i < Math.min(first + block, queries.length); i++) {
      if (i % stride !== 0) continue;
      const line = grouped(row, queries[i] as [number, number], keys);
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
  const height = Math.ceil(rows / block);
  const width = Math.ceil(columns / block);
  const values = new Float32Array(height * width).fill(NaN);
  const every = Math.max(1, Math.floor(block / 2));
  for (let query = 0; query < rows; query += every) {
    const line = row(query);
    for (let key = 0; key < columns; key++) {
      const cell = Math.floor(query / block) * width + Math.floor(key / block);
      const value = line[key] as number;
      if (!Number.isNaN(value) && !((values[cell] as number) >= value)) values[cell] = value;
    }
  }
  return { values, height, width };
}
