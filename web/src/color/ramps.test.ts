import { describe, expect, test } from "vitest";
import fixture from "../../../tests/fixtures/oklab.json";
import { contrast, cssGradient, diverging, INKS, inks, sequential, unpack, type Ramp, type Rgb } from "./ramps";

const LIGHT: Rgb = [255, 255, 255];
const DARK: Rgb = [27, 30, 36];
const GROUNDS: [string, Rgb][] = [["light", LIGHT], ["dark", DARK]];

// Full dichromacy, in linear sRGB: Machado, Oliveira and Fernandes, 2009, table of severity 1.0.
const PROTANOPIA = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
const DEUTERANOPIA = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]];

type Lab = readonly [number, number, number];

/** Lightness 0…1, green–red, blue–yellow. */
function toLab(color: Rgb): Lab {
  const [red, green, blue] = color.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

function seen(color: Rgb, matrix: number[][] | null): Lab {
  if (!matrix) return toLab(color);
  const linear = color.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
  const mixed = matrix.map((row) => Math.min(1, Math.max(0, row.reduce((sum, each, i) => sum + each * linear[i]!, 0))));
  return toLab(mixed.map((each) => 255 * (each <= 0.0031308 ? 12.92 * each : 1.055 * each ** (1 / 2.4) - 0.055)) as unknown as Rgb);
}

function apart(one: Lab, other: Lab): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

function lightness(ramp: Ramp, matrix: number[][] | null = null): number[] {
  return [...ramp].map((word) => seen(unpack(word), matrix)[0]);
}

describe.each(GROUNDS)("the scales on a %s ground", (name, ground) => {
  const sign = name === "light" ? -1 : 1;

  test("the sequential scale starts at the ground", () => {
    expect(unpack(sequential(ground)[0]!)).toEqual(ground);
  });

  test("lightness goes one way and in even steps, from 8-bit rounding apart", () => {
    const steps = lightness(sequential(ground));
    const even = (steps[255]! - steps[0]!) / 255;
    expect(Math.abs(steps[255]! - steps[0]!)).toBeGreaterThan(0.65);
    for (let i = 1; i < 256; i++) {
      expect(sign * (steps[i]! - steps[i - 1]!)).toBeGreaterThan(-0.002);
      expect(steps[i]! - steps[0]!).toBeCloseTo(i * even, 1.8);
    }
  });

  test.each([["protanopia", PROTANOPIA], ["deuteranopia", DEUTERANOPIA]])("with %s, sixteen steps still differ in order", (_, matrix) => {
    const steps = lightness(sequential(ground), matrix);
    for (let i = 16; i < 256; i += 16) expect(sign * (steps[i]! - steps[i - 16]!)).toBeGreaterThan(0.02);
  });

  test.each([["full", null], ["protanopic", PROTANOPIA], ["deuteranopic", DEUTERANOPIA]])("to %s eyes, more and less are two colors", (_, matrix) => {
    const ramp = diverging(ground);
    for (let i = 40; i < 128; i += 8) {
      const [less, more] = [seen(unpack(ramp[127 - i]!), matrix), seen(unpack(ramp[128 + i]!), matrix)];
      expect(apart(less, more)).toBeGreaterThan(i < 80 ? 0.06 : 0.15);
    }
  });

  test("both arms of the diverging scale leave the ground in equal steps of lightness", () => {
    const steps = lightness(diverging(ground));
    expect(unpack(diverging(ground)[127]!)).toEqual(ground);
    expect(unpack(diverging(ground)[128]!)).toEqual(ground);
    for (let i = 0; i < 128; i++) expect(steps[127 - i]).toBeCloseTo(steps[128 + i]!, 1.8);
  });

  test("text on every color is read at 4.5 to 1", () => {
    for (const ramp of [sequential(ground), diverging(ground)]) {
      const chosen = inks(ramp);
      const ratios = [...ramp].map((word, i) => contrast(unpack(word), INKS[chosen[i] as 0 | 1]));
      expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

test("every entry is opaque", () => {
  expect([...sequential(LIGHT)].every((word) => word >>> 24 === 255)).toBe(true);
});

test("a gradient between two places begins and ends there", () => {
  const css = cssGradient(sequential(LIGHT), 0.25, 0.75, 2);
  expect(css).toMatch(/^linear-gradient\(to right, rgb\(255 255 255\) 25\.00%, rgb\(.+\) 50\.00%, rgb\(.+\) 75\.00%\)$/);
});

test("black on white has the contrast that WCAG gives it", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
});

test.each(fixture.colors)("OKLab of $rgb is the one that figures compute with", ({ rgb, lab }) => {
  toLab(rgb as unknown as Rgb).forEach((each, axis) => expect(each).toBeCloseTo(lab[axis]!, 4));
});
