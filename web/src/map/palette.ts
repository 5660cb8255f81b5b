/** The theme's colours as a canvas needs them; read again whenever the theme changes. */
import { cssColour, diverging, INKS, inks, sequential } from "../colour";
import type { Ramp, Rgb } from "../colour";
import type { RulerStyle } from "./rulers";

export interface Palette extends RulerStyle {
  background: string;
  unloaded: string;
  accent: string;
  ramp: Ramp;
  ink: [string, string]; // dark and light
  inkOf: Uint8Array; // which of them, for each entry of the ramp
  hatch: CanvasPattern;
}

const HATCH = 7; // device pixels between the lines of a cell that the mask forbids

export function readPalette(element: HTMLElement, ctx: CanvasRenderingContext2D, difference: boolean, ratio: number): Palette {
  const probe = element.ownerDocument.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const read = (name: string): Rgb => {
    probe.style.color = `var(${name})`;
    return resolved(getComputedStyle(probe).color);
  };
  const background = read("--rg-panel");
  const ramp = difference ? diverging(background) : sequential(background);
  const rule = read("--rg-rule");
  const faint = read("--rg-faint");
  const style = getComputedStyle(element);
  const size = style.getPropertyValue("--rg-size-s").trim() || "12px";
  const palette: Palette = {
    background: cssColour(read("--rg-bg")),
    unloaded: cssColour(read("--rg-sunk")),
    foreground: cssColour(read("--rg-fg")),
    muted: cssColour(read("--rg-muted")),
    rule: cssColour(rule),
    accent: cssColour(read("--rg-accent")),
    font: `${size} ${style.getPropertyValue("--rg-font").trim() || "sans-serif"}`,
    mono: `${size} ${style.getPropertyValue("--rg-mono").trim() || "monospace"}`,
    ramp,
    ink: [cssColour(INKS[0]), cssColour(INKS[1])],
    inkOf: inks(ramp),
    hatch: hatching(ctx, cssColour(read("--rg-sunk")), cssColour(mixed(rule, faint)), Math.round(HATCH * Math.max(1, ratio))),
  };
  probe.remove();
  return palette;
}

/** Any CSS colour as bytes: the canvas knows every notation that the style sheet may use. */
function resolved(colour: string): Rgb {
  const ctx = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, 1, 1);
  const { data } = ctx.getImageData(0, 0, 1, 1);
  return [data[0]!, data[1]!, data[2]!];
}

function mixed(one: Rgb, other: Rgb): Rgb {
  return one.map((each, i) => Math.round(0.65 * each + 0.35 * other[i]!)) as unknown as Rgb;
}

/** Diagonal lines that meet at the pattern's edges. */
function hatching(ctx: CanvasRenderingContext2D, ground: string, line: string, side: number): CanvasPattern {
  const tile = new OffscreenCanvas(side, side);
  const into = tile.getContext("2d")!;
  into.fillStyle = ground;
  into.fillRect(0, 0, side, side);
  into.fillStyle = line;
  for (let i = 0; i < side; i++) into.fillRect(i, side - 1 - i, 1, 1);
  return ctx.createPattern(tile, "repeat")!;
}
