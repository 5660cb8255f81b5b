/** Survey of the values in view, and the scale that shows most of them: an automatic one is never blank.
 *
 * A row with one allowed cell says nothing (its weight is 1), and a sink outshines everything else, so
 * neither sets the ends. Long maps of causal attention are shown per row, since a row's weights become
 * smaller as it sees more keys; where even so most cells would be pale, their root is shown. */

/** Cells at their place in the map, counted in cells. */
export interface Piece {
  values: Float32Array;
  width: number;
  row: number;
  column: number;
}
export interface Automatic {
  perRow: boolean;
  high: number; // has the last color: a value, or per row a share of the row's largest
  root: number; // of the value's share of `high`: 1 is the share itself
  sinks: Sinking[];
}
/** A column that takes more of the weight in view than LEAST. */
export interface Sinking {
  column: number;
  mass: number;
}
export interface Survey extends Automatic {
  firstRow: number;
  rowHighs: Float32Array; // from `firstRow`: each row's largest beside the sinks
}
export interface Wanted {
  perRow: boolean;
  rooted: boolean; // may take a root
  shares: boolean; // the values of a row sum to one
}

export const LONG = 256; // positions, from which a causal map is shown per row
export const LEAST = 0.3; // of the weight: a column that takes no more is no sink
const FEW = 8; // rows that tell no sink from a word that is looked at
const TOP = 0.995; // of the cells that count are below the upper end
const MOST = 0.9; // of them may be pale
const PALE = 0.3; // of the ramp
const ROOTS = [1, 2, 3, 4];
const SAMPLE = 2 ** 17; // cells in view of which every one counts; of more, a part
const SAME = 0.1; // part by which the upper end may be off before colors change

export function isLong(rows: number, columns: number): boolean {
  return Math.max(rows, columns) > LONG;
}

/** The scale of these cells; null where no cell is allowed. */
export function survey(pieces: readonly Piece[], wanted: Wanted): Survey | null {
  const firstRow = Math.min(...pieces.map((piece) => piece.row));
  const firstColumn = Math.min(...pieces.map((piece) => piece.column));
  const height = Math.max(...pieces.map((piece) => piece.row + piece.values.length / piece.width)) - firstRow;
  const width = Math.max(...pieces.map((piece) => piece.column + piece.width)) - firstColumn;
  if (!(height > 0)) return null;
  const allowed = new Uint32Array(height);
  const sums = new Float64Array(width);
  for (const piece of pieces) {
    const count = counted(piece);
    count.allowed.forEach((cells, row) => (allowed[piece.row - firstRow + row]! += cells));
    count.sums.forEach((sum, column) => (sums[piece.column - firstColumn + column]! += sum));
  }
  const rows = allowed.reduce((count, cells) => count + (cells > 0 ? 1 : 0), 0);
  const whole = wanted.shares ? rows : sums.reduce((sum, value) => sum + value, 0);
  const sinks: Sinking[] = [];
  for (let column = 0; rows >= FEW && column < width; column++) {
    const mass = sums[column]! / whole;
    if (mass > LEAST) sinks.push({ column: column + firstColumn, mass: Math.min(1, mass) });
  }
  const rowHighs = new Float32Array(height);
  for (const piece of pieces) {
    highsOf(piece, sinks).forEach((high, row) => {
      const at = piece.row - firstRow + row;
      if (high > rowHighs[at]!) rowHighs[at] = high;
    });
  }
  const counts = histogram(pieces, (row) => (allowed[row - firstRow]! < 2 ? 0 : wanted.perRow ? rowHighs[row - firstRow]! || 1 : 1), sinks);
  const high = wanted.perRow ? 1 : quantile(counts, TOP);
  if (!(high > 0)) return null;
  const pale = quantile(counts, MOST) / high;
  const root = wanted.rooted ? (ROOTS.find((each) => pale ** (1 / each) >= PALE) ?? ROOTS.at(-1)!) : 1;
  return { perRow: wanted.perRow, high, root, sinks, firstRow, rowHighs };
}

/** The new scale, or the old one where the difference cannot be seen: panning does not flicker. */
export function steady(old: Automatic | null, now: Automatic): Automatic {
  if (!old || old.perRow !== now.perRow || old.root !== now.root) return now;
  const columns = (all: Sinking[]) => all.map(({ column }) => column).join();
  if (columns(old.sinks) !== columns(now.sinks)) return now;
  return Math.abs(now.high - old.high) <= SAME * old.high && now.high <= old.high * (1 + SAME / 2) ? old : now;
}

interface Counted {
  allowed: Uint32Array; // cells, by row
  sums: Float64Array; // by column
  highs: Float32Array; // by row
}

/** A tile is counted once: while panning, most of those in view stay. */
const known = new WeakMap<Float32Array, Counted>();

function counted({ values, width }: Piece): Counted {
  let found = known.get(values);
  if (found) return found;
  const height = values.length / width;
  found = { allowed: new Uint32Array(height), sums: new Float64Array(width), highs: new Float32Array(height) };
  const { allowed, sums, highs } = found;
  for (let row = 0, i = 0; row < height; row++) {
    let [cells, high] = [0, 0];
    for (let column = 0; column < width; column++, i++) {
      const value = values[i]!;
      if (value !== value) continue;
      cells += 1;
      sums[column]! += value;
      if (value > high) high = value;
    }
    allowed[row] = cells;
    highs[row] = high;
  }
  known.set(values, found);
  return found;
}

/** Each row's largest beside the sinks. */
function highsOf(piece: Piece, sinks: readonly Sinking[]): Float32Array {
  const { highs } = counted(piece);
  const inside = columnsOf(piece, sinks);
  if (!inside.size) return highs;
  return highs.map((all, row) => {
    let high = 0;
    for (let column = 0; column < piece.width; column++) {
      const value = piece.values[row * piece.width + column]!;
      if (value > high && !inside.has(column)) high = value;
    }
    return all > high ? high : all;
  });
}

function columnsOf({ column, width }: Piece, sinks: readonly Sinking[]): Set<number> {
  return new Set(sinks.map((sink) => sink.column - column).filter((each) => each >= 0 && each < width));
}

/** Histogram of values as shares of what their row is held against; 0 leaves a row out. */
function histogram(pieces: readonly Piece[], against: (row: number) => number, sinks: readonly Sinking[]): Uint32Array {
  const counts = new Uint32Array(2 ** 15);
  const cells = pieces.reduce((sum, piece) => sum + piece.values.length, 0);
  const step = Math.ceil(cells / SAMPLE) | 1; // odd, so that it meets every column
  for (const piece of pieces) {
    const inside = columnsOf(piece, sinks);
    const { values, width, row: top } = piece;
    const parts = Float32Array.from({ length: values.length / width }, (_, row) => against(top + row));
    for (let i = 0; i < values.length; i += step) {
      const part = parts[(i / width) | 0]!;
      const value = values[i]!;
      if (value !== value || !part || (inside.size && inside.has(i % width))) continue;
      counts[place(value / part)]! += 1;
    }
  }
  return counts;
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The upper half of a float's bits counts it to within one percent, whatever its size. */
function place(value: number): number {
  float[0] = value > 0 ? value : 0;
  return bits[0]! >>> 16;
}

function quantile(counts: Uint32Array, part: number): number {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i]!;
  let left = total * (1 - part);
  for (let i = counts.length - 1; i >= 0; i--) {
    left -= counts[i]!;
    if (left >= 0 || !counts[i]) continue;
    bits[0] = (i << 16) | 0xffff;
    return float[0]!;
  }
  return 0;
}
