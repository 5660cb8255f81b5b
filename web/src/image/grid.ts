/** The patches of an image: a grid, behind the tokens that stand for all of it. */
import type { AxisInfo, TraceInfo } from "../source";

export interface Image {
  axis: string;
  source: string; // the image as the model reads it, data:image/png;base64,…
  tokens: readonly string[];
  rows: number;
  columns: number;
  extra: number; // tokens before the first patch
}

/** The image of a trace; null where it has none. */
export function imageOf({ axes }: Pick<TraceInfo, "axes">): Image | null {
  const [axis, info] = Object.entries(axes).find(([, each]) => each.image) ?? [];
  if (!axis || !info?.image) return null;
  const { tokens } = info as AxisInfo;
  const [rows = 0, columns = 0] = (tokens.at(-1) ?? "").split(",").map((place) => Number(place) + 1); // "row,column"
  return { axis, source: info.image, tokens, rows, columns, extra: tokens.length - rows * columns };
}

/** Where a key leads from a position: along the patches, or from their first row to the token before them; null for any other key. */
export function moved(key: string, at: number, { extra, columns, tokens }: Pick<Image, "extra" | "columns" | "tokens">): number | null {
  const up = at < extra ? at - 1 : at - extra < columns ? extra - 1 : at - columns;
  const down = at < extra ? at + 1 : at + columns;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: up, ArrowDown: down, Home: 0, End: tokens.length - 1 }[key];
  return to === undefined ? null : to in tokens ? to : at;
}

/** A text as it is named: an image that came as text has no name. */
export const nameOfText = (text: string): string => (isImage(text) ? "" : text);
export const isImage = (text: string): boolean => text.startsWith("data:image/");

/** Gives a file as the text that a model of images takes. */
export function readAsText(file: Blob, take: (text: string) => void): void {
  const reader = new FileReader();
  reader.onload = () => take(reader.result as string);
  reader.readAsDataURL(file);
}
