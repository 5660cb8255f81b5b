/** The drawing calls of a canvas as SVG: a map in a file has its cells as rectangles and its labels as text. */

/** Target of a map's drawing calls: a canvas's context, or SVG. */
export type Drawing = Pick<
  CanvasRenderingContext2D,
  | "fillStyle" | "font" | "textAlign" | "textBaseline" | "imageSmoothingEnabled"
  | "save" | "restore" | "translate" | "scale" | "rotate" | "beginPath" | "rect" | "clip" | "fillRect" | "fillText"
  | "measureText"
> & { drawImage(image: ImageBitmap, ...box: Eight): void };
type Eight = [number, number, number, number, number, number, number, number];

/** Draws what a canvas of the page shows. */
export type Painter = (drawing: SvgDrawing) => void;
export const painters = new WeakMap<HTMLCanvasElement, Painter>();

const MOST_CELLS = 4096; // of one picture, that are rectangles; more are an image of pixels
const DROP = 0.35; // of the font's size, from the middle of a line of text to its baseline

let drawings = 0; // ids are those of one document, which may hold several drawings

export class SvgDrawing implements Drawing {
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  imageSmoothingEnabled = false;
  private parts: string[] = [];
  private depths: number[] = []; // groups open at each save
  private open = 0;
  private path = "";
  private ids = 0;
  private name = `d${++drawings}`;

  /** `context` measures texts and reads pixels. */
  constructor(private context: CanvasRenderingContext2D) {}

  get font(): string {
    return this.context.font;
  }
  set font(font: string) {
    this.context.font = font;
  }
  measureText(text: string): TextMetrics {
    return this.context.measureText(text);
  }

  save(): void {
    this.depths.push(this.open);
  }
  restore(): void {
    for (const before = this.depths.pop() ?? 0; this.open > before; this.open--) this.parts.push("</g>");
  }
  translate(x: number, y: number): void {
    this.group(`transform="translate(${round(x)} ${round(y)})"`);
  }
  scale(x: number, y: number): void {
    this.group(`transform="scale(${x} ${y})"`);
  }
  rotate(angle: number): void {
    this.group(`transform="rotate(${round((angle * 180) / Math.PI)})"`);
  }
  beginPath(): void {
    this.path = "";
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.path += `<rect ${box(x, y, width, height)}/>`;
  }
  clip(): void {
    const id = this.id();
    this.parts.push(`<clipPath id="${id}">${this.path}</clipPath>`);
    this.group(`clip-path="url(#${id})"`);
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`<rect ${box(x, y, width, height)} fill="${String(this.fillStyle)}"/>`);
  }
  fillText(text: string, x: number, y: number): void {
    if (!text) return;
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 12);
    const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign as string] ?? "start";
    const baseline = this.textBaseline === "middle" ? y + DROP * size : y;
    this.parts.push(
      `<text x="${round(x)}" y="${round(baseline)}" text-anchor="${anchor}" style="font:${escaped(this.font)}" fill="${String(this.fillStyle)}">${escaped(text)}</text>`,
    );
  }
  drawImage(image: ImageBitmap, ...[left, top, columns, rows, x, y, width, height]: Eight): void {
    if (columns * rows > MOST_CELLS) {
      this.parts.push(imageOf(image, left, top, columns, rows, box(x, y, width, height)));
      return;
    }
    const { canvas } = this.context;
    const font = this.font;
    [canvas.width, canvas.height] = [columns, rows]; // which clears it, font included
    this.context.drawImage(image, -left, -top);
    const { data } = this.context.getImageData(0, 0, columns, rows);
    this.font = font;
    this.group(`transform="translate(${round(x)} ${round(y)}) scale(${width / columns} ${height / rows})" shape-rendering="crispEdges"`);
    for (let row = 0; row < rows; row++) this.cells(data.subarray(4 * row * columns, 4 * (row + 1) * columns), row);
    this.parts.push("</g>");
    this.open--;
  }
  /** Neighbors of one color are one rectangle; what is transparent is left out. */
  private cells(row: Uint8ClampedArray, y: number): void {
    for (let first = 0, end = 1; 4 * first < row.length; first = end++) {
      const color = hex(row, 4 * first);
      while (4 * end < row.length && hex(row, 4 * end) === color) end++;
      if (row[4 * first + 3]) this.parts.push(`<rect ${box(first, y, end - first, 1)} fill="${color}"/>`);
    }
  }
  /** Diagonal lines on a ground, as a `fillStyle`. */
  hatching(ground: string, line: string, side: number): string {
    const id = this.id();
    this.parts.push(
      `<pattern id="${id}" patternUnits="userSpaceOnUse" width="${side}" height="${side}"><rect width="${side}" height="${side}" fill="${ground}"/>` +
        `<path d="M-1 1L1 -1M0 ${side}L${side} 0M${side - 1} ${side + 1}L${side + 1} ${side - 1}" stroke="${line}"/></pattern>`,
    );
    return `url(#${id})`;
  }

  toString(): string {
    this.depths = [];
    this.restore();
    return this.parts.join("");
  }
  private group(attributes: string): void {
    this.parts.push(`<g ${attributes}>`);
    this.open++;
  }
  private id(): string {
    return `${this.name}-${++this.ids}`;
  }
}

/** A part of a picture, its pixels kept apart at every size. */
export function imageOf(image: CanvasImageSource, left: number, top: number, width: number, height: number, place: string): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d")!.drawImage(image, -left, -top);
  return `<image ${place} preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`;
}

export function box(x: number, y: number, width: number, height: number): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function escaped(text: string): string {
  const left = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  return left.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

export function hex(bytes: ArrayLike<number>, at = 0): string {
  return `#${[0, 1, 2].map((i) => bytes[at + i]!.toString(16).padStart(2, "0")).join("")}`;
}
