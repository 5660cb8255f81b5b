/** Overlay that moves with the pointer: crosshair, focus, labels and tooltip. */
import { full } from "../../weights/numbers";
import { rowLabel, upright, type Layout } from "../geometry/rulers";
import type { Axes } from "../geometry/positions";
import { what, where, type Named, type Reading } from "../readout";
import type { View } from "../geometry/viewport";

export interface Pointed {
  reading: Reading;
  tip: boolean; // the tooltip shows, not only crosshair and labels
}

const LEAST = 3; // pixels that a band or a box has, however small its cell
const NEAR = 14; // pixels from cell to tooltip
const SPEAK_AFTER = 150; // milliseconds: a screen reader speaks where the pointer stays

/** Plain elements, moved by transform: a frame that only moves the pointer does not repaint the map. */
export class Overlay {
  private row: HTMLElement;
  private column: HTMLElement;
  private box: HTMLElement;
  private rowChip: HTMLElement;
  private columnChip: HTMLElement;
  private rowChipWidth = 0;
  private tip: HTMLElement;
  private tipWhere: HTMLElement;
  private tipWhat: HTMLElement;
  private speaking: ReturnType<typeof setTimeout> | undefined;

  constructor(host: HTMLElement, private live: HTMLElement) {
    const make = (part: string, into: HTMLElement = host) => {
      const element = document.createElement("div");
      element.className = `rg-map__${part}`;
      into.append(element);
      return element;
    };
    this.row = make("band");
    this.column = make("band");
    this.box = make("focus");
    this.rowChip = make("chip rg-cut");
    this.columnChip = make("chip rg-cut");
    this.tip = make("tip");
    this.tipWhere = make("tip-where rg-note", this.tip);
    this.tipWhat = make("tip-what rg-number", this.tip);
  }

  show(pointed: Pointed | null, focus: { row: number; column: number } | null, axes: Axes, view: View, at: Layout, named: Named): void {
    const reading = pointed?.reading;
    const size = reading ? 2 ** reading.level : 1;
    const first = (position: number) => Math.floor(position / size) * size;
    if (reading) {
      const y = span(at.top, at.height, first(reading.row), size, view.row, view.cell);
      const x = span(at.left, at.width, first(reading.column), size, view.column, view.cell);
      // Bands end where the map does.
      const right = Math.min(at.width, (axes.shape.columns - view.column) * view.cell);
      const bottom = Math.min(at.height, (axes.shape.rows - view.row) * view.cell);
      put(this.row, y && [at.left, y[0], right, y[1]]);
      put(this.column, x && [x[0], at.top, x[1], bottom]);
      this.labels(reading, axes, at, x, y, upright(view));
      const seen = pointed.tip && x && y;
      this.tip.hidden = !seen;
      if (seen) this.readout(reading, axes, named, x, y, at);
    } else {
      for (const element of [this.row, this.column, this.rowChip, this.columnChip, this.tip]) element.hidden = true;
    }
    const y = focus && span(at.top, at.height, focus.row, 1, view.row, view.cell);
    const x = focus && span(at.left, at.width, focus.column, 1, view.column, view.cell);
    put(this.box, x && y && [x[0] - 1, y[0] - 1, x[1] + 2, y[1] + 2]);
  }

  private labels(reading: Reading, axes: Axes, at: Layout, x: Stretch | null, y: Stretch | null, turned: boolean): void {
    this.rowChip.hidden = !y;
    if (y) {
      // A label longer than the ruler lies over the map rather than beyond the edge.
      if (write(this.rowChip, `${reading.row} ${rowLabel(axes.queries, reading.row, true)}`)) {
        this.rowChipWidth = this.rowChip.offsetWidth;
      }
      move(this.rowChip, Math.max(0, at.left - 4 - this.rowChipWidth), y[0] + y[1] / 2, "0", "-50%");
    }
    this.columnChip.hidden = !x;
    if (x) {
      write(this.columnChip, `${reading.column} ${axes.keys.label(reading.column)}`);
      this.columnChip.classList.toggle("rg-map__chip--upright", turned);
      // Kept inside at both ends of the ruler.
      const middle = x[0] + x[1] / 2;
      const share = turned ? 0.5 : Math.min(1, Math.max(0, (middle - at.left) / at.width));
      // An upright label lies over its own column's, and over the map where it is longer than the ruler.
      const bottom = turned ? Math.max(at.top - 4, this.columnChip.offsetHeight) : at.top - 4;
      move(this.columnChip, middle, bottom, `${-100 * share}%`, "-100%", turned ? " rotate(180deg)" : "");
    }
  }

  private readout(reading: Reading, axes: Axes, named: Named, x: Stretch, y: Stretch, at: Layout): void {
    const place = where(named.say, reading, axes);
    const amount = what(reading, named);
    write(this.tipWhere, place);
    write(this.tipWhat, amount);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const value = reading.value === null || Number.isNaN(reading.value) ? "" : full(reading.value);
    if (this.tip.dataset.value !== value) this.tip.dataset.value = value;
    // Beside the cell, on the side with more room, and never beyond the plot's edges.
    const toLeft = x[0] + x[1] / 2 > at.left + 0.6 * at.width;
    const above = y[0] + y[1] / 2 > at.top + 0.7 * at.height;
    const left = toLeft ? x[0] - NEAR - width : x[0] + x[1] + NEAR;
    const top = above ? y[0] - NEAR - height : y[0] + y[1] + NEAR;
    move(this.tip, within(left, at.left + at.width - width), within(top, at.top + at.height - height), "0", "0");
    this.speak(`${place}: ${amount}`);
  }

  private speak(text: string): void {
    if (this.live.dataset.next === text) return;
    this.live.dataset.next = text;
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => (this.live.textContent = text), SPEAK_AFTER);
  }

  close(): void {
    clearTimeout(this.speaking);
  }
}

type Stretch = [start: number, length: number];

/** Between zero and the last place at which all of it is seen. */
function within(place: number, last: number): number {
  return Math.max(0, Math.min(last, place));
}

/** Place of positions along one side of the plot; null where none of them is seen. */
function span(origin: number, pixels: number, first: number, size: number, start: number, cell: number): Stretch | null {
  const from = (first - start) * cell;
  const to = from + Math.max(size * cell, LEAST);
  if (to <= 0 || from >= pixels) return null;
  const [low, high] = [Math.max(0, from), Math.min(pixels, to)];
  return [origin + low, high - low];
}

function put(element: HTMLElement, box: [number, number, number, number] | null): void {
  element.hidden = !box;
  if (!box) return;
  element.style.transform = `translate(${box[0]}px, ${box[1]}px)`;
  element.style.width = `${box[2]}px`;
  element.style.height = `${box[3]}px`;
}

function move(element: HTMLElement, x: number, y: number, byX: string, byY: string, then = ""): void {
  element.style.transform = `translate(${x}px, ${y}px) translate(${byX}, ${byY})${then}`;
}

/** True if the text changed. */
function write(element: HTMLElement, text: string): boolean {
  if (element.textContent === text) return false;
  element.textContent = text;
  return true;
}
