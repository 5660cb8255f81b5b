/** Rulers beside the map: the labels that have room, and their drawing. */
import { roundStep } from "../../color/scales";
import type { Palette } from "../../color/theme";
import type { Drawing } from "../../picture/drawing";
import { count } from "../../weights/numbers";
import type { Positions } from "./positions";
import type { Plot, View } from "./viewport";

export const LINE = 15; // pixels that one line of text takes
const FEW = 4; // a token now and then helps; beyond every fourth, numbers say more
const NUMBER_ROOM = 56; // pixels between numbers, along the top
const TICK = 5;
const GAP = 8; // between ruler text and map

/** Every `step`-th position is labeled: with its token, or with its number where tokens are too dense. */
export function labeling(cell: number, numberRoom: number) {
  const step = Math.ceil(LINE / cell - 1e-9);
  if (step <= FEW) return { kind: "tokens", step } as const;
  return { kind: "numbers", step: roundStep(Math.ceil(numberRoom / cell)) } as const;
}

/** The width of the widest label in a sample: all rulers of a trace stay alike. */
export function longest(ctx: { measureText(text: string): { width: number } }, length: number, label: (i: number) => string): number {
  let most = 0;
  const step = Math.max(1, Math.floor(length / 200));
  for (let i = 0; i < length; i += step) most = Math.max(most, ctx.measureText(label(i)).width);
  return most;
}

/** Wide enough for the longest label among those sampled, within bounds; the same at every zoom. */
export function rulerSize(longest: number, least: number, most: number): number {
  return Math.ceil(Math.min(most, Math.max(least, longest + GAP + TICK + 1)));
}

export type RulerStyle = Pick<Palette, "font" | "mono" | "foreground" | "muted" | "rule">;
/** The plot, and where it begins. */
export interface Layout extends Plot {
  left: number;
  top: number;
}

/** True if column labels stand upright: tokens in columns too narrow for them. */
export function upright(view: View): boolean {
  return labeling(view.cell, NUMBER_ROOM).kind === "tokens" && view.cell < NUMBER_ROOM;
}

/** Labeled positions along a side that are seen, each with its pixel. */
function* seen(step: number, length: number, start: number, cell: number, pixels: number): Generator<[position: number, pixel: number]> {
  const last = Math.min(length, start + pixels / cell);
  for (let i = Math.max(0, Math.ceil(start / step) * step - step); i < last; i += step) {
    const at = (i + 0.5 - start) * cell;
    if (at >= -1 && at <= pixels) yield [i, at];
  }
}

/** Query tokens on the left, at the height of their rows. */
export function drawRows(ctx: Drawing, at: Layout, view: View, rows: Positions, style: RulerStyle, both: boolean): void {
  const { kind, step } = labeling(view.cell, 2 * LINE);
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.font = kind === "tokens" ? style.font : style.mono;
  const room = at.left - GAP - TICK;
  for (const [i, pixel] of seen(step, rows.length, view.row, view.cell, at.height)) {
    const y = at.top + pixel;
    ctx.fillStyle = style.rule;
    ctx.fillRect(at.left - TICK, Math.round(y), TICK - 1, 1);
    ctx.fillStyle = kind === "tokens" ? style.foreground : style.muted;
    const text = kind === "numbers" ? count(i) : rowLabel(rows, i, both);
    ctx.fillText(fitted(ctx, text, room), at.left - GAP, y);
  }
}

/** Key tokens along the top. */
export function drawColumns(ctx: Drawing, at: Layout, view: View, columns: Positions, style: RulerStyle): void {
  const { kind, step } = labeling(view.cell, NUMBER_ROOM);
  ctx.font = kind === "tokens" ? style.font : style.mono;
  ctx.textBaseline = "middle";
  const level = !upright(view);
  const room = level ? view.cell * step - 6 : at.top - GAP - TICK;
  for (const [i, pixel] of seen(step, columns.length, view.column, view.cell, at.width)) {
    const x = at.left + pixel;
    ctx.fillStyle = style.rule;
    ctx.fillRect(Math.round(x), at.top - TICK, 1, TICK - 1);
    ctx.fillStyle = kind === "tokens" ? style.foreground : style.muted;
    if (level) {
      ctx.textAlign = "center";
      ctx.fillText(kind === "numbers" ? count(i) : fitted(ctx, columns.label(i), room), x, at.top - GAP - LINE / 3);
      continue;
    }
    ctx.save();
    ctx.translate(x, at.top - GAP);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "left";
    ctx.fillText(fitted(ctx, columns.label(i), room), 0, 0);
    ctx.restore();
  }
}

/** A decoder's row reads one token to give the next: with room, both are said, else what it gives. */
export function rowLabel(rows: Positions, position: number, both: boolean): string {
  const next = rows.predicts(position);
  if (next === null) return rows.label(position);
  return both ? `${rows.label(position)} → ${next}` : `→ ${next}`;
}

const widths = new Map<string, string>(); // of texts already cut, by room and font
const KEPT = 20000;

/** The text, or as much of its beginning as fits, with an ellipsis. */
export function fitted(ctx: { font: string; measureText(text: string): { width: number } }, text: string, room: number): string {
  const name = `${Math.floor(room)} ${ctx.font} ${text}`;
  const known = widths.get(name);
  if (known !== undefined) return known;
  let cut = text;
  if (ctx.measureText(text).width > room) {
    const letters = [...text];
    let [low, high] = [0, letters.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (ctx.measureText(`${letters.slice(0, middle).join("")}…`).width <= room) low = middle;
      else high = middle - 1;
    }
    cut = low ? `${letters.slice(0, low).join("")}…` : "";
  }
  if (widths.size > KEPT) widths.clear();
  widths.set(name, cut);
  return cut;
}
