/** Color scales as lookup tables, even to the eye: interpolated in OKLab (Ottosson, 2020). */

/** 256 colors as little-endian RGBA words, ready for an ImageData's memory. */
export type Ramp = Uint32Array;
/** Red, green, blue in 0…255. */
export type Rgb = readonly [number, number, number];
/** Lightness 0…1, green–red, blue–yellow. */
export type Lab = readonly [number, number, number];
/** Chroma and hue in degrees; lightness is set by the place on the ramp. */
type Tint = readonly [number, number];

export const RAMP_LENGTH = 256;

// Hues turn a little along the ramp, so that neighbors differ in more than lightness.
const BLUES_ON_LIGHT: Tint[] = [[0.06, 235], [0.12, 245], [0.17, 257], [0.19, 265], [0.15, 270]];
const BLUES_ON_DARK: Tint[] = [[0.07, 272], [0.13, 264], [0.15, 250], [0.12, 230], [0.07, 205]];
const BLUE: Tint[] = [[0.08, 245], [0.14, 255], [0.18, 260]];
const ORANGE: Tint[] = [[0.08, 70], [0.13, 62], [0.15, 52]];

/** From the background to one strong blue: dark on a light ground, luminous on a dark one. */
export function sequential(background: Rgb): Ramp {
  const dark = isDark(background);
  return ramp(background, dark ? BLUES_ON_DARK : BLUES_ON_LIGHT, dark ? 0.94 : 0.27);
}

/** Orange below, the background at zero, blue above; both arms equally far from the ground. */
export function diverging(background: Rgb): Ramp {
  const end = isDark(background) ? 0.8 : 0.5;
  const above = ramp(background, BLUE, end);
  const below = ramp(background, ORANGE, end);
  const both = new Uint32Array(RAMP_LENGTH);
  const half = RAMP_LENGTH / 2;
  for (let i = 0; i < half; i++) {
    const place = Math.round((i / (half - 1)) * (RAMP_LENGTH - 1));
    both[half + i] = above[place]!;
    both[half - 1 - i] = below[place]!;
  }
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

export function isDark(background: Rgb): boolean {
  return toLab(background)[0] < 0.5;
}

export function toLab(color: Rgb): Lab {
  const [red, green, blue] = color.map(toLinear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Lightness runs straight from the ground's to `end`; the tints are evenly spaced on the way. */
function ramp(background: Rgb, tints: Tint[], end: number): Ramp {
  const ground = toLab(background);
  const anchors = tints.map(([chroma, hue], i): Lab => {
    const lightness = ground[0] + ((i + 1) / tints.length) * (end - ground[0]);
    return withinGamut(lightness, chroma, hue);
  });
  anchors.unshift(ground);
  const words = new Uint32Array(RAMP_LENGTH);
  for (let i = 0; i < RAMP_LENGTH; i++) {
    const along = (i / (RAMP_LENGTH - 1)) * tints.length;
    const from = Math.min(Math.floor(along), tints.length - 1);
    const [one, next] = [anchors[from]!, anchors[from + 1]!];
    const lab = one.map((each, axis) => each + (along - from) * (next[axis]! - each));
    words[i] = pack(toRgb(lab as unknown as Lab));
  }
  return words;
}

/** The color with as much of the chroma as sRGB can show at this lightness and hue. */
function withinGamut(lightness: number, chroma: number, hue: number): Lab {
  const radians = (hue * Math.PI) / 180;
  const at = (c: number): Lab => [lightness, c * Math.cos(radians), c * Math.sin(radians)];
  let [low, high] = [0, chroma];
  if (linearOf(at(chroma)).every((each) => each >= 0 && each <= 1)) return at(chroma);
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (linearOf(at(middle)).every((each) => each >= 0 && each <= 1)) low = middle;
    else high = middle;
  }
  return at(low);
}

function linearOf([lightness, a, b]: Lab): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function toRgb(lab: Lab): Rgb {
  return linearOf(lab).map((each) => {
    const bounded = Math.min(1, Math.max(0, each));
    const coded = bounded <= 0.0031308 ? 12.92 * bounded : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(255 * coded);
  }) as unknown as Rgb;
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
