/** A row of weights as pixels, one for each. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sequential, type Ramp } from "../color/ramps";
import { color, type Coloring } from "../color/scales";
import { themeColor } from "../color/theme";

const BY_ROOT: Coloring = { kind: "linear", low: 0, high: 1, diverging: false, root: 2 }; // of every head, so that they can be compared
const ramps = new Map<boolean, Ramp>(); // read once for each theme: the styles of a page that has just changed are slow to ask for

/** The canvas that shows weights; where the mask forbids, its ground is seen. */
export function usePixels(values: Float32Array | null, dark: boolean): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = values && canvas.current?.getContext("2d");
    if (!context) return;
    const ramp = ramps.get(dark) ?? sequential(themeColor(getComputedStyle(context.canvas), "--rg-panel"));
    ramps.set(dark, ramp);
    context.canvas.width = values.length;
    const picture = context.createImageData(values.length, 1);
    color(values, values.length, new Uint32Array(picture.data.buffer), BY_ROOT, ramp);
    context.putImageData(picture, 0, 0);
  }, [values, dark]);
  return canvas;
}
