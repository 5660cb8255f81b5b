/** The theme's colors as pictures and cells need them; read again whenever the theme changes. */
import { createContext, type RefObject } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { cssColor, diverging, INKS, inks, sequential, unpack, type Ramp, type Rgb } from "./ramps";
import { fraction, type Coloring } from "./scales";

/** Colors and fonts of a map's canvas. */
export interface Palette {
  font: string;
  mono: string;
  foreground: string;
  muted: string;
  rule: string;
  background: string;
  unloaded: string;
  ramp: Ramp;
  ink: [string, string]; // dark and light
  inkOf: Uint8Array; // which of them, for each entry of the ramp
  hatch: string | CanvasPattern;
}

const HATCH = 7; // device pixels between the lines of a cell that the mask forbids

/** Makes what a cell that the mask forbids is filled with. */
export type Hatching = (ground: string, line: string, side: number) => string | CanvasPattern;

export function readPalette(element: HTMLElement, hatching: Hatching, difference: boolean, ratio: number): Palette {
  const style = getComputedStyle(element);
  const read = (name: string) => themeColor(style, name);
  const background = read("--rg-panel");
  const ramp = difference ? diverging(background) : sequential(background);
  const rule = read("--rg-rule");
  const faint = read("--rg-faint");
  const size = style.getPropertyValue("--rg-size-s").trim() || "12px";
  return {
    background: cssColor(read("--rg-bg")),
    unloaded: cssColor(read("--rg-sunk")),
    foreground: cssColor(read("--rg-fg")),
    muted: cssColor(read("--rg-muted")),
    rule: cssColor(rule),
    font: `${size} ${style.getPropertyValue("--rg-font").trim() || "sans-serif"}`,
    mono: `${size} ${style.getPropertyValue("--rg-mono").trim() || "monospace"}`,
    ramp,
    ink: [cssColor(INKS[0]), cssColor(INKS[1])],
    inkOf: inks(ramp),
    hatch: hatching(cssColor(read("--rg-sunk")), cssColor(mixed(rule, faint)), Math.round(HATCH * Math.max(1, ratio))),
  };
}

/** One of the theme's colors as bytes: the canvas knows every notation that a style sheet may use, once day or night is chosen. */
export function themeColor(style: CSSStyleDeclaration, name: string): Rgb {
  const ctx = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  ctx.fillStyle = style.getPropertyValue(name).trim().replace(/^light-dark\((.*),(.*)\)$/, style.colorScheme === "dark" ? "$2" : "$1");
  ctx.fillRect(0, 0, 1, 1);
  const { data } = ctx.getImageData(0, 0, 1, 1);
  return [data[0]!, data[1]!, data[2]!];
}

function mixed(one: Rgb, other: Rgb): Rgb {
  return one.map((each, i) => Math.round(0.65 * each + 0.35 * other[i]!)) as unknown as Rgb;
}

/** Diagonal lines that meet at the pattern's edges. */
export function hatched(ctx: CanvasRenderingContext2D, ground: string, line: string, side: number): CanvasPattern {
  const tile = new OffscreenCanvas(side, side);
  const into = tile.getContext("2d")!;
  into.fillStyle = ground;
  into.fillRect(0, 0, side, side);
  into.fillStyle = line;
  for (let i = 0; i < side; i++) into.fillRect(i, side - 1 - i, 1, 1);
  return ctx.createPattern(tile, "repeat")!;
}

export type Kind = "weight" | "signed";
export type Color = { background: string; color: string };
/** The colors of a number among numbers whose size is at most `most`. */
export type Colors = (kind: Kind, value: number, most: number) => Color;

export const ColorsContext = createContext<Colors | null>(null);

/** Empty until the theme has been read. */
export function useColors(): (kind: Kind, value: number | null, most: number) => Color | undefined {
  const colors = useContext(ColorsContext);
  return (kind, value, most) => (colors && value !== null ? colors(kind, value, most) : undefined);
}

/** The colors of the theme that an element has, read again when it changes. */
export function useTheme(element: RefObject<HTMLElement | null>, dark: boolean): Colors | null {
  const [colors, keep] = useState<Colors | null>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    const panel = themeColor(getComputedStyle(element.current), "--rg-panel");
    const [weights, signed] = [scale(sequential(panel)), scale(diverging(panel))];
    keep(() => (kind: Kind, value: number, most: number) => (kind === "weight" ? weights : signed)(by(kind, most), value));
  }, [dark]);
  return colors;
}

function by(kind: Kind, most: number): Coloring {
  return { kind: "linear", low: kind === "weight" ? 0 : -most, high: most, diverging: kind === "signed" };
}

function scale(ramp: Ramp): (by: Coloring, value: number) => Color {
  const inkOf = inks(ramp);
  return (coloring, value) => {
    const place = Math.round(fraction(coloring, value) * (ramp.length - 1));
    return {
      background: cssColor(unpack(ramp[place] as number)),
      color: cssColor(INKS[inkOf[place] as 0 | 1]),
    };
  };
}
