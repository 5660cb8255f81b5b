/** From vectors in a plane to pixels: one measure for both axes, and names that do not cover each other. */

export type Point = readonly [number, number];

const MARGIN = [56, 28] as const; // px beside and above the arrows, for names at their tips

/** Shows every point and the origin, as large as it goes, in the middle of width × height: the pixels of a point, y
 * downwards, and of length 1. */
export function frameOf(points: readonly Point[], width: number, height: number) {
  const xs = [0, ...points.map(([x]) => x)];
  const ys = [0, ...points.map(([, y]) => y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = (side: number, margin: number) => Math.max(1, side - 2 * margin);
  const unit = Math.min(room(width, MARGIN[0]) / (right - left || 1), room(height, MARGIN[1]) / (high - low || 1));
  const [x0, y0] = [width / 2 - (unit * (left + right)) / 2, height / 2 + (unit * (low + high)) / 2];
  return { unit, place: ([x, y]: Point): Point => [x0 + unit * x, y0 - unit * y] };
}

export interface Name {
  text: string;
  at: Point; // in pixels: the tip that it belongs to
  away: Point; // the direction that leads away from the arrow
  first: boolean; // chooses its place before the others
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
  leader: Point | null; // where a line begins that leads to a name far from its tip
}

const LETTER = 7; // px, of a name's letter at 12px, bold ones included
const LINE = 14;

const TURNS = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6].map((turn) => (turn * Math.PI) / 6);
const RINGS = [12, 24, 38, 54, 72]; // px from the tip
const FAR = 30; // px, from which on a line leads to the name

/** Place of each name: beyond its tip, else on the nearest free place around it. */
export function writeNames(names: readonly Name[], width: number, height: number): Written[] {
  const order = names.map((_, index) => index).sort((a, b) => Number(names[b]!.first) - Number(names[a]!.first));
  const taken: Box[] = [];
  const written: Written[] = [];
  for (const index of order) {
    const { text, at, away } = names[index]!;
    const wide = LETTER * [...text].length + 6;
    const toward = Math.atan2(away[1], away[0]);
    const boxes = RINGS.flatMap((ring) =>
      TURNS.map((turn): Box => {
        const [dx, dy] = [Math.cos(toward + turn), Math.sin(toward + turn)];
        const x = Math.min(Math.max(at[0] + dx * (ring + (wide / 2) * Math.abs(dx)), wide / 2), width - wide / 2);
        const y = Math.min(Math.max(at[1] + dy * ring, LINE / 2), height - LINE / 2);
        return [x - wide / 2, y - LINE / 2, x + wide / 2, y + LINE / 2];
      }),
    );
    const free = boxes.find((each) => !taken.some((other) => overlap(each, other)));
    const box = free ?? boxes.reduce((best, each) => (covered(each, taken) < covered(best, taken) ? each : best));
    taken.push(box);
    const [x, middle] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    const leader = Math.hypot(x - at[0], middle - at[1]) - wide / 2 > FAR ? at : null;
    written.push({ index, x, y: box[3] - 3, leader });
  }
  return written.sort((a, b) => a.index - b.index);
}

type Box = readonly [number, number, number, number];
function overlap(one: Box, other: Box): boolean {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}

/** Area of a box under others, in px². */
function covered(one: Box, others: readonly Box[]): number {
  const side = (a: number, b: number, c: number, d: number) => Math.max(0, Math.min(b, d) - Math.max(a, c));
  return others.reduce((sum, other) => sum + side(one[0], one[2], other[0], other[2]) * side(one[1], one[3], other[1], other[3]), 0);
}

/** End of an arrow, or the point where it leaves the frame. */
export function within([x0, y0]: Point, [x1, y1]: Point, width: number, height: number): Point {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const until = (from: number, by: number, side: number) => (by > 0 ? (side - from) / by : by < 0 ? -from / by : 1);
  const part = Math.max(0, Math.min(1, until(x0, dx, width), until(y0, dy, height)));
  return [x0 + part * dx, y0 + part * dy];
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
