/** Color scales as lookup tables, even to the eye: their colors are in even steps of OKLab's lightness (Ottosson, 2020). */

/** 256 colors as little-endian RGBA words, ready for an ImageData's memory. */
export type Ramp = Uint32Array;
/** Red, green, blue in 0…255. */
export type Rgb = readonly [number, number, number];

export const RAMP_LENGTH = 256;

// From next to the ground to the end. Hues turn a little on the way, so that neighbors differ in more than lightness.
const ON_LIGHT = {
  blues: [0xd4eaf8, 0xaad6f1, 0x82bfec, 0x5aa8e7, 0x408ddf, 0x2672d6, 0x1c57c3, 0x173cb1, 0x14278e, 0x11126e],
  blue: [0xcfe7fd, 0x9ecffa, 0x77b1f1, 0x5495e8, 0x3779d8, 0x195cc7],
  orange: [0xf5e0c8, 0xebc191, 0xdb9f62, 0xcc7f33, 0xb3641d, 0x9a4900],
};
const ON_DARK = {
  blues: [0x272e45, 0x343e66, 0x3b518c, 0x4164b2, 0x407dce, 0x3d96e9, 0x4eb1f3, 0x5fcbfc, 0x90e2fe, 0xbbf8ff],
  blue: [0x21374b, 0x235176, 0x336ca6, 0x4585d6, 0x6fa2eb, 0x98bfff],
  orange: [0x403222, 0x684515, 0x925a19, 0xbb701e, 0xdc8a49, 0xffa56d],
};

/** From the background to one strong blue: dark on a light ground, luminous on a dark one. */
export function sequential(background: Rgb): Ramp {
  return ramp(background, colorsOn(background).blues);
}

/** Orange below, the background at zero, blue above; both arms equally far from the ground. */
export function diverging(background: Rgb): Ramp {
  const { blue, orange } = colorsOn(background);
  const half = RAMP_LENGTH / 2;
  const both = new Uint32Array(RAMP_LENGTH);
  both.set(ramp(background, orange, half).reverse());
  both.set(ramp(background, blue, half), half);
  return both;
}

/** Inks for text on a scale: one of the two reaches 4.5:1 on any ground. */
export const INKS: readonly [Rgb, Rgb] = [
  [0, 0, 0],
  [255, 255, 255],
];

/** Index of the ink that reads better on each entry. */
export function inks(scale: Ramp): Uint8Array {
  return Uint8Array.from(scale, (word) => {
    const ground = unpack(word);
    return contrast(ground, INKS[1]) > contrast(ground, INKS[0]) ? 1 : 0;
  });
}

/** The ramp between two places (0…1) of a bar, its ends beyond them. */
export function cssGradient(scale: Ramp, from = 0, to = 1, stops = 24): string {
  const colors: string[] = [];
  for (let i = 0; i <= stops; i++) {
    const place = (100 * (from + (i / stops) * (to - from))).toFixed(2);
    colors.push(`${cssColor(unpack(scale[Math.round((i / stops) * (scale.length - 1))]!))} ${place}%`);
  }
  return `linear-gradient(to right, ${colors.join(", ")})`;
}

export function cssColor([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

export function unpack(word: number): Rgb {
  return [word & 255, (word >>> 8) & 255, (word >>> 16) & 255];
}

/** WCAG 2 contrast ratio, 1…21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const colorsOn = (background: Rgb) => (luminance(background) < 0.125 ? ON_DARK : ON_LIGHT); // an eighth looks half as light as white

function ramp(background: Rgb, colors: readonly number[], length = RAMP_LENGTH): Ramp {
  const stops = [background, ...colors.map((color): Rgb => [color >>> 16, (color >>> 8) & 255, color & 255])];
  return Uint32Array.from({ length }, (_, i) => {
    const along = (i / (length - 1)) * colors.length;
    const from = Math.min(Math.floor(along), colors.length - 1);
    const [one, next] = [stops[from]!, stops[from + 1]!];
    return pack(one.map((each, axis) => Math.round(each + (along - from) * (next[axis]! - each))) as unknown as Rgb);
  });
}

function toLinear(coded: number): number {
  const value = coded / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map(toLinear) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function pack([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
