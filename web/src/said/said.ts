/** One plain sentence on one row of a map: what the model looked at to write a word. */
import type { AxisInfo, Head } from "../source";
import { grouped, type Weights } from "../weights/matrix";
import { isSpecial, knows, tokenLabel, markOf, unitAt, units, type Span, type Unit } from "../weights/units";

/** A word of an axis and the rows of the map that speak of it. */
export interface Asked {
  label: string;
  deed: "write" | "predict" | "read";
  rows: Span;
}

export interface Said {
  asked: Asked;
  looks: { label: string; share: number }[]; // best first
  special: boolean; // the first look is at a token of the model's own, the others are at words
}

const WORTH = 0.1; // a second look of at least this share is named
const PLAIN = 0.8; // beside a first one of less than this

const split = (axis: AxisInfo): Unit[] => units(axis, knows(axis, "word") ? "word" : "token");

/** The word that a row speaks of: the one that it predicts, of a decoder; else the one that it reads. */
export function askedAt(axis: AxisInfo, query: number, writes: boolean): Asked | null {
  const { predicts, tokens } = axis;
  if (query < 0 || query >= tokens.length) return null;
  const all = split(axis);
  if (!predicts) {
    const unit = all[unitAt(all, query)];
    return unit ? { label: unit.label, deed: "read", rows: unit } : null;
  }
  const deed = writes && query + 1 >= axis.prompt ? "write" : "predict";
  const next = all[unitAt(all, query + 1)];
  if (!next) return { label: tokenLabel(predicts[query] ?? "", markOf(predicts)), deed, rows: { first: query, end: query + 1 } };
  const first = Math.max(next.first, 1);
  return { label: next.label, deed, rows: { first: first - 1, end: Math.max(first, next.end - 1) } };
}

/** Keys that these rows looked at most, in words; `map` begins at row `from`. */
export function said(asked: Asked, keys: AxisInfo, map: Weights, from = 0): Said | null {
  const all = split(keys);
  const rows = { first: asked.rows.first - from, end: asked.rows.end - from };
  const { values } = grouped(map, [rows], all);
  const looks = all
    .map((unit, i) => ({ label: unit.label, share: values[i] as number, special: unit.special }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
  const [first] = looks;
  if (!first) return null;
  const next = looks.slice(1).find((each) => !each.special);
  const named = next && next.share >= WORTH && (first.special || first.share < PLAIN) ? [first, next] : [first];
  return { asked, looks: named.map(({ label, share }) => ({ label, share })), special: first.special };
}

/** The row that says most: where a word that was written looked most at one word. */
export function telling(queries: AxisInfo, keys: AxisInfo, map: Weights, writes: boolean): number | null {
  let [best, most] = [null as number | null, 0];
  for (let query = 0; query < map.height; query++) {
    const asked = askedAt(queries, query, writes);
    if (!asked || (writes && asked.deed !== "write") || isSpecial(asked.label) || !/^\p{L}/u.test(asked.label)) continue;
    const found = said(asked, keys, map);
    const share = found && !found.special && found.looks[0]?.label !== asked.label ? (found.looks[0]?.share ?? 0) : 0;
    if (share > most) [best, most] = [query, share];
  }
  return best;
}

/** Who looked: the mean over heads stands for the model. */
export function who(head: Head): string {
  return head === "mean" ? "the model" : `head ${head}`;
}
