/** One plain sentence on one row of a map: what the model looked at to write a word. */
import type { AxisInfo, TraceInfo } from "../source";
import { grouped, withoutFirst, type Weights } from "../weights/matrix";
import { isSpecial, knows, tokenLabel, markOf, unitAt, units, type Span, type Unit } from "../weights/units";

/** A word of an axis and the rows of the map that speak of it. */
export interface Asked {
  label: string;
  deed: "write" | "predict" | "read";
  rows: Span;
}

export interface Said {
  asked: Asked;
  looks: (Unit & { share: number })[]; // best first
  special: boolean; // the first look is at a token of the model's own, the others are at words
}

const WORTH = 0.1; // a second look of at least this share is named
const PLAIN = 0.8; // beside a first one of less than this
const PART = 0.2; // of the strongest stretch of a sound: those beside it that are named with it
const FAR = 0.5; // of the text: a look so far away counts in full
const BESIDE = 0.1; // of a word: what a look at the next one counts

export const split = (axis: AxisInfo): Unit[] => units(axis, knows(axis, "word") ? "word" : "token");

/** Words that the rows of an axis speak of, in order: those that a decoder predicts, else those that are read. */
export function asks(axis: AxisInfo, writes: boolean): Asked[] {
  const all = split(axis).filter(({ end }) => !axis.predicts || end > 1).map((unit) => asked(axis, unit, writes));
  return axis.predicts ? [...all, asked(axis, null, writes)] : all;
}

/** The word that a row speaks of. */
export function askedAt(axis: AxisInfo, query: number, writes: boolean): Asked | null {
  if (query < 0 || query >= axis.tokens.length) return null;
  const all = split(axis);
  return asked(axis, all[unitAt(all, axis.predicts ? query + 1 : query)] ?? null, writes);
}

/** The class token, from which an image's label is read, is called by it. */
export function labeled({ labels = [] }: Pick<TraceInfo, "labels">, axis: AxisInfo, asked: Asked | null): Asked | null {
  const [first] = labels;
  return first && asked && axis.image && asked.label === "CLS" ? { ...asked, label: first.token, deed: "predict" } : asked;
}

/** A word and its rows; none: what the last row predicts. */
function asked({ predicts, tokens, prompt }: AxisInfo, unit: Unit | null, writes: boolean): Asked {
  if (!predicts && unit) return { label: unit.label, deed: "read", rows: { first: unit.first, end: unit.end } };
  const first = unit ? Math.max(unit.first, 1) - 1 : tokens.length - 1;
  const label = unit?.label ?? tokenLabel(predicts?.[first] ?? "", markOf(predicts ?? []));
  return { label, deed: writes && first + 1 >= prompt ? "write" : "predict", rows: { first, end: unit ? Math.max(first, unit.end - 1) : first + 1 } };
}

/** Keys that these rows looked at most, in words; `map` begins at row `from`. */
export function said(asked: Asked, keys: AxisInfo, map: Weights, from = 0, sinkless = false): Said | null {
  const all = split(keys);
  const rows = { first: asked.rows.first - from, end: asked.rows.end - from };
  const { values: row } = grouped(map, [rows], all);
  const values = sinkless ? withoutFirst(row) : row;
  const looks = all
    .map((unit, i) => ({ first: unit.first, end: unit.end, label: unit.label, title: unit.title, special: unit.special, share: values[i] as number }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
  const [first] = looks;
  if (!first) return null;
  if (keys.peaks) {
    const time = around(all, values, keys.tokens);
    return { asked, looks: first.special ? (time.share < WORTH ? [first] : [first, time]) : [time], special: first.special };
  }
  const next = looks.slice(1).find((each) => !each.special);
  const named = next && next.share >= WORTH && (first.special || first.share < PLAIN) ? [first, next] : [first];
  return { asked, looks: named, special: first.special };
}

/** Time of a sound around its strongest stretch, as far as each has at least a part of that one. */
function around(all: readonly Unit[], values: Float32Array, tokens: readonly string[]): Unit & { share: number } {
  const shares = [...values].map((share, i) => (all[i]?.special ? 0 : share));
  const top = shares.indexOf(Math.max(...shares));
  const strong = (i: number) => (shares[i] ?? 0) > PART * (shares[top] as number);
  let [from, to] = [top, top];
  while (strong(from - 1)) from--;
  while (strong(to + 1)) to++;
  const [{ first, label }, { end, title }] = [all[from] as Unit, all[to] as Unit];
  const share = shares.slice(from, to + 1).reduce((sum, each) => sum + each, 0);
  return { first, end, label: `${label}–${tokens[end] ?? title}`, title: label, special: false, share };
}

interface Telling {
  asked: Asked;
  worth: number; // over all maps
  map: number; // in which its look is strongest
  share: number; // of that look
}

/** The word that says most, as in most of these maps it looked most at the same other word; within one text, the more words lie between the better. */
export function telling(words: readonly Asked[], keys: readonly Unit[], maps: readonly Weights[], within: boolean): Telling | null {
  const pairs = new Map<string, Telling>();
  let count = 0;
  const order = keys.map((key) => (isWord(key) ? count++ : count));
  const writes = words.some(({ deed }) => deed === "write");
  for (const [map, weights] of maps.entries())
    for (const asked of words) {
      if ((writes && asked.deed !== "write") || !isWord(asked)) continue;
      const { values } = grouped(weights, [asked.rows], keys);
      const most = values.reduce((top, value, i) => (value > (values[top] as number) ? i : top), 0);
      const [key, share] = [keys[most], values[most] as number];
      if (!key || !isWord(key) || key.label === asked.label) continue;
      const pair = `${asked.rows.first} ${most}`;
      const { worth, ...before } = pairs.get(pair) ?? { worth: 0, asked, map, share };
      const between = Math.abs((order[most] as number) - (order[unitAt(keys, asked.rows.first)] ?? 0)) - 1;
      const more = share ** 2 * (within ? Math.min(1, Math.max(between, BESIDE) / (FAR * count)) : 1);
      pairs.set(pair, { ...(share > before.share ? { asked, map, share } : before), worth: worth + more });
    }
  return [...pairs.values()].reduce<Telling | null>((best, pair) => (pair.worth > (best?.worth ?? 0) ? pair : best), null);
}

/** How far a look goes within a text, as a share that counts in full from half of it on. */
export function away(from: number, position: number, columns: number): number {
  return Math.min(1, Math.abs(position - from) / (FAR * columns));
}

/** True of what a person wrote, punctuation aside. */
export function isWord({ label }: { label: string }): boolean {
  return !isSpecial(label) && /^-?[\p{L}\p{N}]/u.test(label);
}
