/** From vectors in a plane to pixels: one measure for both axes, and names that do not cover each other. */

export type Point = readonly [number, number];

export interface Frame {
  place(point: Point): Point; // in pixels, y downwards
  unit: number; // pixels of length 1
}

const MARGIN = [56, 28] as const; // px beside and above the arrows, for names at their tips

/** Shows every point and the origin, as large as it goes, in the middle of width × height. */
export function frameOf(points: readonly Point[], width: number, height: number): Frame {
  const xs = [0, ...points.map(([x]) => x)];
  const ys = [0, ...points.map(([, y]) => y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = (side: number, margin: number) => Math.max(1, side - 2 * margin);
  const unit = Math.min(room(width, MARGIN[0]) / (right - left || 1), room(height, MARGIN[1]) / (high - low || 1));
  const [x0, y0] = [width / 2 - (unit * (left + right)) / 2, height / 2 + (unit * (low + high)) / 2];
  return { unit, place: ([x, y]) => [x0 + unit * x, y0 - unit * y] };
}

export interface Name {
  text: string;
  at: Point; // in pixels: the tip that it belongs to
  away: Point; // the direction that leads away from the arrow
  first: boolean; // is written whatever it covers
}

/** The direction across a step, to the side on which it lies of the arrow that all steps lead along. */
export function across([x0, y0]: Point, [x1, y1]: Point, [from, to]: readonly [Point, Point]): Point {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const beside = ((x0 + x1) / 2 - from[0]) * dy - ((y0 + y1) / 2 - from[1]) * dx;
  const normal: Point = [dy, -dx];
  return beside >= 0 ? normal : [-normal[0], -normal[1]];
}

export interface Written {
  index: number; // among the names given
  x: number; // of its middle
  y: number; // of its base line
}

const LETTER = 7; // px, of a name's letter at 12px, bold ones included
const LINE = 14;

/** Where each name is written: beyond its tip, or above or below it; one that fits nowhere is left out. */
export function writeNames(names: readonly Name[], width: number, height: number): Written[] {
  const order = names.map((_, index) => index).sort((a, b) => Number(names[b]!.first) - Number(names[a]!.first));
  const taken: [number, number, number, number][] = [];
  const written: Written[] = [];
  for (const index of order) {
    const { text, at, away, first } = names[index]!;
    const wide = LETTER * [...text].length + 6;
    const length = Math.hypot(away[0], away[1]) || 1;
    const [dx, dy] = [away[0] / length, away[1] / length];
    const tries: Point[] = [
      [at[0] + dx * (wide / 2 + 5), at[1] + dy * 12],
      [at[0], at[1] - 11],
      [at[0], at[1] + 13],
      [at[0] + wide / 2 + 5, at[1]],
      [at[0] - wide / 2 - 5, at[1]],
      [at[0] + dx * (wide / 2 + 5), at[1] + dy * 26],
    ];
    const boxes = tries.map(([x, y]) => {
      const inside = Math.min(Math.max(x, wide / 2), width - wide / 2);
      const level = Math.min(Math.max(y, LINE / 2), height - LINE / 2);
      return [inside - wide / 2, level - LINE / 2, inside + wide / 2, level + LINE / 2] as [number, number, number, number];
    });
    const box = boxes.find((each) => !taken.some((other) => overlap(each, other))) ?? (first ? boxes[0] : undefined);
    if (!box) continue;
    taken.push(box);
    written.push({ index, x: (box[0] + box[2]) / 2, y: box[3] - 3 });
  }
  return written.sort((a, b) => a.index - b.index);
}

type Box = readonly [number, number, number, number];
function overlap(one: Box, other: Box): boolean {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}

/** A shaft with a head that fits a short one, as an SVG path; "" for an arrow of no length. */
export function arrow([x0, y0]: Point, [x1, y1]: Point, tip = 8): string {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 0.5) return "";
  const size = Math.min(tip, length / 2);
  const [dx, dy] = [((x1 - x0) / length) * size, ((y1 - y0) / length) * size];
  const round = (value: number) => Math.round(value * 10) / 10;
  const corner = (side: number) => `${round(x1 - dx + side * dy * 0.5)} ${round(y1 - dy - side * dx * 0.5)}`;
  const end = `${round(x1)} ${round(y1)}`;
  return `M${round(x0)} ${round(y0)}L${end}M${corner(1)}L${end}L${corner(-1)}`;
}
