/** A view of the page as an SVG file: its boxes, texts and drawings where they are on the screen. */
import { fitted } from "../map/geometry/rulers";
import { box, escaped, hex, imageOf, painters, round, SvgDrawing } from "./drawing";

/** Elements that answer the pointer and say nothing of the text. */
const CONTROLS =
  "select, input, [data-screen], [role=slider], .rg-unseen, .rg-choice, .rg-words__word[aria-checked=false], .rg-map__overlay," +
  " .rg-link, .rg-button, .rg-translation__strike";
const WINDOWS = ".rg-flow__window"; // cut at their edges, since what is drawn beside them is
const MARGIN = 16; // pixels
const TITLE = 13; // pixels, the size of its type
const DRAWN = ["fill", "fill-opacity", "opacity"];
const STROKED = ["stroke", "stroke-opacity", "stroke-width"];
const COLORS = new Set(["fill", "stroke"]);
const GEOMETRY = /^(x|y|d)$/;
const SIDES = ["Top", "Right", "Bottom", "Left"] as const;

/** The file's contents; everything of `root` that is drawn, with a line of text above it. */
export function picture(root: HTMLElement, title: string): string {
  const [context, probe] = [contextOf(), contextOf()];
  const writer = new Writer(context, probe, root.getBoundingClientRect());
  writer.element(root);
  const { fontFamily, color } = getComputedStyle(root);
  const [left, right, bottom] = [-MARGIN, writer.right + MARGIN, writer.bottom + MARGIN];
  const top = -MARGIN - 2 * TITLE;
  const [width, height] = [Math.ceil(right - left), Math.ceil(bottom - top)];
  const frame = `x="${left}" y="${top}" width="${width}" height="${height}"`;
  const line = `style="font:600 ${TITLE}px ${escaped(fontFamily)}" ${writer.paint("fill", color)}`;
  context.font = `600 ${TITLE}px ${fontFamily}`;
  return (
    `<?xml version="1.0" encoding="utf-8"?>\n` +
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}">` +
    `<title>${escaped(title)}</title><rect ${frame} ${writer.paint("fill", groundOf(root))}/>` +
    `<text x="0" y="${-TITLE}" ${line}>${escaped(fitted(context, title, width - 2 * MARGIN))}</text>${writer.parts.join("\n")}</svg>\n`
  );
}

class Writer {
  readonly parts: string[] = [];
  right: number;
  bottom = 0;
  private colors = new Map<string, { color: string; opacity: number }>();
  private clips = 0;

  constructor(
    private context: CanvasRenderingContext2D,
    private probe: CanvasRenderingContext2D,
    private origin: DOMRect,
  ) {
    this.right = origin.width;
  }

  element(element: Element): void {
    if (element.matches(CONTROLS)) return;
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility !== "visible" || style.opacity === "0") return;
    const rect = element.getBoundingClientRect();
    const at = this.placed(rect);
    const before = this.parts.length;
    if (element instanceof HTMLCanvasElement) this.canvas(element, at, style);
    else if (element instanceof SVGSVGElement) this.drawing(element, at);
    else if (element instanceof HTMLImageElement) this.parts.push(imageOf(element, 0, 0, element.naturalWidth, element.naturalHeight, box(at.x, at.y, at.width, at.height)));
    else {
      const rects = style.display === "inline" ? [...element.getClientRects()] : [rect];
      for (const each of rects) this.box(style, this.placed(each));
      this.within(element as HTMLElement, style, at);
    }
    if (this.parts.length === before) return;
    this.right = Math.max(this.right, at.x + at.width);
    this.bottom = Math.max(this.bottom, at.y + at.height);
    if (style.opacity !== "1") {
      this.parts.splice(before, 0, `<g opacity="${style.opacity}">`);
      this.parts.push("</g>");
    }
  }

  /** Draw the contents of an element: cut at its edges where the page cuts it, but whole where it scrolls. */
  private within(element: HTMLElement, style: CSSStyleDeclaration, at: DOMRect): void {
    const cuts = element.matches(WINDOWS) || style.overflowX === "clip";
    if (cuts) {
      const id = `cut${++this.clips}`;
      this.parts.push(`<clipPath id="${id}"><rect ${box(at.x, at.y, at.width, at.height)}/></clipPath><g clip-path="url(#${id})">`);
    }
    const scrolled = cuts ? 0 : element.scrollTop;
    this.origin = new DOMRect(this.origin.x, this.origin.y - scrolled, this.origin.width);
    for (const child of element.childNodes) {
      if (child instanceof Element) this.element(child);
      else if (child instanceof Text && child.data.trim()) this.text(child, element, style);
    }
    this.origin = new DOMRect(this.origin.x, this.origin.y + scrolled, this.origin.width);
    if (cuts) this.parts.push("</g>");
  }

  /** Ground, border and ring of a box. */
  private box(style: CSSStyleDeclaration, { x, y, width, height }: DOMRect): void {
    const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, width / 2, height / 2);
    const corners = radius ? ` rx="${round(radius)}"` : "";
    const ground = this.paint("fill", style.backgroundColor);
    if (ground) this.parts.push(`<rect ${box(x, y, width, height)}${corners} ${ground}/>`);
    this.gradient(style, x, y, width, height);
    const sides = SIDES.map((side) => ({
      width: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
      stroke: this.paint("stroke", style[`border${side}Color`]),
    }));
    const ring = /^(\S+\([^)]*\)) 0px 0px 0px ([\d.]+)px( inset)?/.exec(style.boxShadow);
    const [first] = sides as [(typeof sides)[0], ...typeof sides];
    if (first.width && first.stroke && sides.every((side) => side.width === first.width && side.stroke === first.stroke)) {
      this.parts.push(framed(x, y, width, height, -first.width / 2, first.width, radius, first.stroke));
    } else {
      const ends = [[x, y, x + width, y], [x + width, y, x + width, y + height], [x, y + height, x + width, y + height], [x, y, x, y + height]];
      sides.forEach((side, i) => {
        if (!side.width || !side.stroke || !width || !height) return;
        const inward = ([[0, 1], [-1, 0], [0, -1], [1, 0]] as const)[i]!.map((each) => (each * side.width) / 2);
        const [x1, y1, x2, y2] = ends[i]!.map((each, j) => round(each + inward[j % 2]!));
        this.parts.push(`<path d="M${x1} ${y1}L${x2} ${y2}" ${side.stroke} stroke-width="${side.width}"/>`);
      });
    }
    if (ring) {
      const wide = Number(ring[2]);
      this.parts.push(framed(x, y, width, height, ring[3] ? -wide / 2 : wide / 2, wide, radius, this.paint("stroke", ring[1]!)));
    }
  }

  /** A background of colors from left to right. */
  private gradient(style: CSSStyleDeclaration, x: number, y: number, width: number, height: number): void {
    if (!style.backgroundImage.startsWith("linear-gradient")) return;
    const stops = [...style.backgroundImage.matchAll(/(rgba?\([^)]*\)|color\([^)]*\)) ([\d.-]+)(%|px)/g)];
    const part = style.backgroundSize.split(" ")[0]!;
    const wide = part.endsWith("%") ? (width * parseFloat(part)) / 100 : width;
    const id = `ramp${++this.clips}`;
    const listed = stops.map(([, color, at]) => `<stop offset="${Number(at) / 100}" ${this.paint("stop-color", color!)}/>`);
    this.parts.push(`<linearGradient id="${id}">${listed.join("")}</linearGradient><rect ${box(x, y, wide, height)} fill="url(#${id})"/>`);
  }

  private text(node: Text, parent: HTMLElement, style: CSSStyleDeclaration): void {
    const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    this.context.font = font;
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = this.context.measureText("x");
    const anchor = { center: "middle", right: "end", end: "end" }[style.textAlign] ?? "start";
    const strike = style.textDecorationLine === "none" ? "" : ` text-decoration="${style.textDecorationLine}"`;
    const spacing = style.letterSpacing === "normal" ? "" : `;letter-spacing:${style.letterSpacing}`;
    const cut = style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth && parent.clientWidth > 0;
    for (const line of linesOf(node, !style.whiteSpace.startsWith("pre"))) {
      const { x, y, width, height } = this.placed(line.rect);
      const text = cut ? fitted(this.context, line.text, parent.clientWidth) : line.text;
      const place = cut || anchor === "start" ? x : anchor === "end" ? x + width : x + width / 2;
      const baseline = y + (height * ascent) / (ascent + descent || 1);
      this.parts.push(
        `<text xml:space="preserve" x="${round(place)}" y="${round(baseline)}" text-anchor="${cut ? "start" : anchor}"${strike} style="font:${escaped(font)}${spacing}" ${this.paint("fill", style.color)}>${escaped(text)}</text>`,
      );
      this.right = Math.max(this.right, cut ? 0 : x + width);
    }
  }

  private canvas(element: HTMLCanvasElement, at: DOMRect, style: CSSStyleDeclaration): void {
    const painter = painters.get(element);
    this.box(style, at);
    if (painter) {
      const drawing = new SvgDrawing(contextOf());
      painter(drawing);
      this.parts.push(`<svg ${box(at.x, at.y, at.width, at.height)}>${String(drawing)}</svg>`);
    } else this.parts.push(imageOf(element, 0, 0, element.width, element.height, box(at.x, at.y, at.width, at.height)));
  }

  /** A drawing of the page, with the style sheet's rules written out. */
  private drawing(element: SVGSVGElement, at: DOMRect): void {
    const cut = getComputedStyle(element).overflow === "visible" ? ' overflow="visible"' : "";
    this.parts.push(`<svg ${box(at.x, at.y, at.width, at.height)}${cut}>`);
    for (const child of element.children) this.shape(child);
    this.parts.push("</svg>");
  }

  private shape(element: Element): void {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility !== "visible") return;
    const own = [...element.attributes].filter(({ name }) => GEOMETRY.test(name)).map(({ name, value }) => `${name}="${escaped(value)}"`);
    const names = style.stroke === "none" || !style.stroke ? DRAWN : [...DRAWN, ...STROKED];
    for (const name of names) {
      const value = style.getPropertyValue(name);
      if (COLORS.has(name) && value !== "none") own.push(this.paint(name, value) || `${name}="none"`);
      else if (value && value !== "1") own.push(`${name}="${escaped(value)}"`);
    }
    const isText = element.tagName === "text";
    if (isText) own.push(`style="font:${escaped(`${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`)}"`);
    if (isText && style.textAnchor !== "start") own.push(`text-anchor="${style.textAnchor}"`);
    this.parts.push(`<${element.tagName} ${own.join(" ")}>`);
    for (const child of element.childNodes) {
      if (child instanceof Element) this.shape(child);
      else if (child instanceof Text && isText) this.parts.push(escaped(child.data));
    }
    this.parts.push(`</${element.tagName}>`);
  }

  /** A color as every reader of SVG knows it; "" for one that is not seen. */
  paint(name: string, css: string): string {
    let known = this.colors.get(css);
    if (!known) {
      this.probe.clearRect(0, 0, 1, 1);
      this.probe.fillStyle = css;
      this.probe.fillRect(0, 0, 1, 1);
      const { data } = this.probe.getImageData(0, 0, 1, 1);
      this.colors.set(css, (known = { color: hex(data), opacity: data[3]! / 255 }));
    }
    if (!known.opacity) return "";
    const opacity = name === "stop-color" ? "stop-opacity" : `${name}-opacity`;
    return `${name}="${known.color}"${known.opacity < 1 ? ` ${opacity}="${round(known.opacity)}"` : ""}`;
  }

  private placed({ x, y, width, height }: DOMRect): DOMRect {
    return new DOMRect(x - this.origin.x, y - this.origin.y, width, height);
  }
}

function contextOf(): CanvasRenderingContext2D {
  return document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
}

function framed(x: number, y: number, width: number, height: number, out: number, wide: number, radius: number, stroke: string): string {
  const corners = radius ? ` rx="${round(Math.max(0, radius + out))}"` : "";
  return `<rect ${box(x - out, y - out, width + 2 * out, height + 2 * out)}${corners} fill="none" ${stroke} stroke-width="${wide}"/>`;
}

/** The color behind an element. */
function groundOf(element: Element | null): string {
  if (!element) return "#fff";
  const { backgroundColor } = getComputedStyle(element);
  return /^(transparent|rgba\(0, 0, 0, 0\))$/.test(backgroundColor) ? groundOf(element.parentElement) : backgroundColor;
}

/** A text as it is broken on the page. */
function linesOf(node: Text, collapsed: boolean): { text: string; rect: DOMRect }[] {
  const range = document.createRange();
  const clean = (text: string) => (collapsed ? text.replace(/\s+/g, " ") : text);
  range.selectNodeContents(node);
  const whole = range.getClientRects();
  if (whole.length === 1) return [{ text: clean(node.data), rect: whole[0]! }];
  const lines: { text: string; rect: DOMRect }[] = [];
  let at = 0;
  for (const letter of node.data) {
    range.setStart(node, at);
    range.setEnd(node, (at += letter.length));
    const rect = range.getClientRects()[0];
    const last = lines[lines.length - 1];
    if (!rect || (!rect.width && !letter.trim())) continue;
    if (last && Math.abs(last.rect.y - rect.y) < rect.height / 2) {
      last.text += letter;
      last.rect = new DOMRect(last.rect.x, last.rect.y, rect.right - last.rect.x, last.rect.height);
    } else lines.push({ text: letter, rect });
  }
  return lines.map(({ text, rect }) => ({ text: clean(text), rect }));
}
