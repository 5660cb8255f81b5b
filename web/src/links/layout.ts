/** Places of words and of the lines between them. "Along" is along the sides, "across" from one to the other, in px. */

export interface Extent {
  start: number;
  end: number;
}

/** A line as it is drawn, from the first side to the second. */
export interface Strand {
  query: number; // indices of units
  key: number;
  slot: number; // which of the chosen heads
  value: number;
  from: number; // along
  to: number;
  width: number;
}

export const ROW = 28; // of a word in a column
const WIDE = 40; // of one of a few
const TIGHT = 22; // of one where that puts all of them in sight
const MARGIN = 12; // words beyond the window that are on the page already, for scrolling
const REACH = 9; // from a line's edge, that the pointer may be off

export const middle = ({ start, end }: Extent): number => (start + end) / 2;

/** Height of a row: larger where all of them fit, smaller where all of them then do. */
export function rowOf(height: number, count: number): number {
  return count * TIGHT <= height ? Math.min(WIDE, height / count) : ROW;
}

/** Half-open range of the words of a column that are put on the page. */
export function rendered(scroll: number, height: number, row: number, count: number): [number, number] {
  const first = Math.max(0, Math.floor(scroll / row) - MARGIN);
  return [Math.min(first, count), Math.min(count, Math.ceil((scroll + height) / row) + MARGIN)];
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

/** Level at both ends, so that it leaves and meets a word the way text runs. */
export function curve(from: number, to: number, depth: number, down = false): string {
  const half = round(depth / 2);
  const points = [[0, from], [half, from], [half, to], [depth, to]].map((point) => (down ? point.reverse() : point).map(round).join(" "));
  return `M${points[0]}C${points.slice(1).join(" ")}`;
}

/** The line nearest to a point, among those within reach; the stronger wins a tie. */
export function nearest<S extends Pick<Strand, "from" | "to" | "width" | "value">>(strands: readonly S[], depth: number, along: number, across: number): S | null {
  const eased = risen(depth > 0 ? across / depth : 0);
  let found: S | null = null;
  let least = REACH;
  for (const strand of strands) {
    const away = Math.max(0, Math.abs(strand.from + (strand.to - strand.from) * eased - along) - strand.width / 2);
    if (away < least || (away === least && found && strand.value > found.value)) [found, least] = [strand, away];
  }
  return found;
}

/** Share of its way along that a curve has covered at `across` of its depth. */
export function risen(across: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const t = (low + high) / 2;
    if (1.5 * t * (1 - t) + t ** 3 < across) low = t;
    else high = t;
  }
  return low * low * (3 - 2 * low);
}

/** What lines are summed in: a sheaf between the stretches where they end, drawn in at the middle. */
export function sheaf(width: number, left: Extent, right: Extent): string {
  const half = round(width / 2);
  const waist = (middle(left) + middle(right)) / 2;
  const thick = 0.12 * (left.end - left.start + right.end - right.start);
  const [above, below] = [round(waist - thick), round(waist + thick)];
  return (
    `M0 ${round(left.start)}Q${half} ${above} ${round(width)} ${round(right.start)}` +
    `L${round(width)} ${round(right.end)}Q${half} ${below} 0 ${round(left.end)}Z`
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
