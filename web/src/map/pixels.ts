/** Weights as pixels: a row of a map, a pixel for each. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { RAMP_LENGTH, sequential, type Ramp } from "../color/ramps";
import { themeColor } from "../color/theme";
/** The canvas that shows weights, row by row, a pixel each. */
export function usePixels(values: Float32Array | null, width: number, dark: boolean): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = values && canvas.current?.getContext("2d");
    if (!context) return;
    [context.canvas.width, context.canvas.height] = [width, values.length / width];
    const picture = context.createImageData(width, values.length / width);
    const { ramp, forbidden } = palette(context.canvas, dark);
    new Uint32Array(picture.data.buffer).set(paint(values, ramp, forbidden));
    context.putImageData(picture, 0, 0);
  }, [values, dark]);
  return canvas;
}

/** Weights as colors by their square root, on the one scale 0 to 1, so that heads can be compared. */
export function paint(values: Float32Array, ramp: Ramp, forbidden: number): Uint32Array {
  return Uint32Array.from(values, (value) => {
    if (Number.isNaN(value)) return forbidden;
    const place = Math.sqrt(Math.max(0, Math.min(1, value)));
    return ramp[Math.round(place * (RAMP_LENGTH - 1))] as number;
  });
}

const palettes = new Map<boolean, { ramp: Ramp; forbidden: number }>();

/** Read once for each theme: the styles of a page that has just changed are slow to ask for. */
function palette(element: HTMLElement, dark: boolean) {
  const known = palettes.get(dark);
  if (known) return known;
  const style = getComputedStyle(element);
  const [red, green, blue] = themeColor(style, "--rg-sunk");
  const made = { ramp: sequential(themeColor(style, "--rg-panel")), forbidden: ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0 };
  palettes.set(dark, made);
  return made;
}
