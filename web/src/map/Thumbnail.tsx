/** One head's whole map in the size of a stamp. */
import { useEffect, useRef } from "preact/hooks";
import { RAMP_LENGTH, sequential, type Ramp } from "../color/ramps";
import { themeColor } from "../color/theme";
import type { Thumbnails } from "../source";
import type { State } from "../state";

interface ThumbnailProps {
  state: State;
  thumbnails: Thumbnails | null;
  head: number;
  rows: number;
  columns: number;
}

export function Thumbnail({ state, thumbnails, head, rows, columns }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = state.dark.value;
  useEffect(() => {
    const context = thumbnails && canvas.current?.getContext("2d");
    if (!context) return;
    const { height, width, values } = thumbnails;
    context.canvas.width = width;
    context.canvas.height = height;
    const picture = context.createImageData(width, height);
    const { ramp, forbidden } = palette(context.canvas, dark);
    const words = new Uint32Array(picture.data.buffer);
    const own = values.subarray(head * height * width, (head + 1) * height * width);
    words.set(paint(own, ramp, forbidden));
    context.putImageData(picture, 0, 0);
  }, [thumbnails, head, dark]);
  const aspect = Math.max(0.5, Math.min(2, columns / Math.max(1, rows)));
  return <canvas ref={canvas} class="rg-thumb__map" width={1} height={1} style={{ aspectRatio: String(aspect) }} />;
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
export function palette(element: HTMLElement, dark: boolean) {
  const known = palettes.get(dark);
  if (known) return known;
  const style = getComputedStyle(element);
  const [red, green, blue] = themeColor(style, "--rg-sunk");
  const made = { ramp: sequential(themeColor(style, "--rg-panel")), forbidden: ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0 };
  palettes.set(dark, made);
  return made;
}
