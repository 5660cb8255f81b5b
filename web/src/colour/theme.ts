/** The theme's colours as pictures and cells need them; read again whenever the theme changes. */
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { cssColour, diverging, INKS, inks, sequential, unpack } from "./ramps";
import type { Ramp, Rgb } from "./ramps";
import { fraction, type Colouring } from "./scales";

/** What a map's canvas is painted with. */
export interface Palette {
  font: string;
  mono: string;
  foreground: string;
  muted: string;
  rule: string;
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
  const style = getComputedStyle(element);
  const read = (name: string) => themeColour(style, name);
  const background = read("--rg-panel");
  const ramp = difference ? diverging(background) : sequential(background);
  const rule = read("--rg-rule");
  const faint = read("--rg-faint");
  const size = style.getPropertyValue("--rg-size-s").trim() || "12px";
  return {
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
}

/** One of the theme's colours as bytes: the canvas knows every notation that a style sheet may use. */
export function themeColour(style: CSSStyleDeclaration, name: string): Rgb {
  const ctx = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  ctx.fillStyle = style.getPropertyValue(name).trim();
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

export type Kind = "weight" | "signed";
export type Colour = { background: string; color: string };
/** The colours of a number among numbers whose size is at most `most`. */
export type Colours = (kind: Kind, value: number, most: number) => Colour;

export const ColoursContext = createContext<Colours | null>(null);

/** Empty until the theme has been read. */
export function useColours(): (kind: Kind, value: number | null, most: number) => Colour | undefined {
  const colours = useContext(ColoursContext);
  return (kind, value, most) => (colours && value !== null ? colours(kind, value, most) : undefined);
}

/** The colours of the theme that an element has, read again when it changes. */
export function useTheme(element: RefObject<HTMLElement | null>, dark: boolean): Colours | null {
  const [colours, keep] = useState<Colours | null>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    const panel = themeColour(getComputedStyle(element.current), "--rg-panel");
    const [weights, signed] = [scale(sequential(panel)), scale(diverging(panel))];
    keep(() => (kind: Kind, value: number, most: number) => (kind === "weight" ? weights : signed)(by(kind, most), value));
  }, [dark]);
  return colours;
}

function by(kind: Kind, most: number): Colouring {
  return { kind: "linear", low: kind === "weight" ? 0 : -most, high: most, diverging: kind === "signed" };
}

function scale(ramp: Ramp): (by: Colouring, value: number) => Colour {
  const inkOf = inks(ramp);
  return (colouring, value) => {
    const place = Math.round(fraction(colouring, value) * (ramp.length - 1));
    return {
      background: cssColour(unpack(ramp[place] as number)),
      color: cssColour(INKS[inkOf[place] as 0 | 1]),
    };
  };
}
