/** Parts that are switched off, and looks, by the names of `regard.inspection.hiding`: "10" or "target:7" is a
 * position, "decoder.layers.2.cross:1" a head, "decoder.layers.2.cross:1:7:10" its edge from query 7 to key 10. */
import { split } from "../said/said";
import type { AblationRequest, Head, TraceInfo } from "../source";
import { joinedNames } from "../weights/naming";
import { isSpecial, labelAt, markOf, positionsOf } from "../weights/units";
import { headWords, tapWords } from "../weights/words";
import type { Say } from "../words/words";

export type Part =
  | { what: "token"; axis: string | null; position: number } // axis null: what the model reads
  | { what: "head"; tap: string; head: number }
  | { what: "edge"; tap: string; head: number; query: number; key: number };

/** A query that sees this key alone: in one head, in those of a layer (head null), or in those of every
 * layer between the two texts (tap null). */
export interface Look {
  tap: string | null;
  head: number | null;
  query: number;
  key: number;
}

/** The look of a name such as "4:8" or "decoder.layers.2.cross:1:4:8"; null for what is not a name. */
export function lookOf(name: string): Look | null {
  const [, tap = null, head, query, key] = /^(?:([a-z][\w.]*):(?:(\d+):)?)?(\d+):(\d+)$/.exec(name) ?? [];
  return query && key ? { tap, head: head ? Number(head) : null, query: Number(query), key: Number(key) } : null;
}

type Axes = TraceInfo["axes"];

/** The part of a name; null for what is not a name. */
export function partOf(name: string): Part | null {
  const [place = "", ...rest] = name.split(":");
  if (!rest.every((each) => /^\d+$/.test(each))) return null;
  const [first = 0, query = 0, key = 0] = rest.map(Number);
  if (!rest.length) return /^\d+$/.test(place) ? { what: "token", axis: null, position: Number(place) } : null;
  if (rest.length === 1) {
    if (/^[a-z]+$/.test(place)) return { what: "token", axis: place, position: first };
    return place ? { what: "head", tap: place, head: first } : null;
  }
  return rest.length === 3 && place ? { what: "edge", tap: place, head: first, query, key } : null;
}

/** The axis of what the model reads. */
export const readAxis = (axes: Axes): string => ("source" in axes ? "source" : "tokens");

export const positionName = (axes: Axes, axis: string, position: number): string =>
  axis === readAxis(axes) ? String(position) : `${axis}:${position}`;

export const headName = (tap: string, head: Head): string => `${tap}:${head}`;

/** The name of what an ablation switches off. */
export function nameOf({ what, tap, head, query, key }: AblationRequest, { axes, taps }: Pick<TraceInfo, "axes" | "taps">): string {
  if (what === "head") return headName(tap, head);
  if (what === "edge") return `${tap}:${head}:${query}:${key}`;
  return positionName(axes, taps.find((each) => each.name === tap)?.keys ?? readAxis(axes), key);
}

/** The same parts in the order of equal requests: each once, positions first. */
export function ordered(names: readonly string[]): string[] {
  const rank = (name: string) => (/^\d+$/.test(name) ? Number(name) : Infinity);
  return [...new Set(names)].sort((one, other) => (rank(one) === rank(other) ? (one < other ? -1 : 1) : rank(one) - rank(other)));
}

/** Where the struck words are in what another model reads of the same text; a name whose word it does not have is left out. */
export function sameWords(names: readonly string[], from: Axes, to: Axes): Map<string, string[]> {
  const [before, after] = [wordsOf(from), wordsOf(to)];
  return new Map(names.flatMap((name) => {
    const word = before.find(({ positions }) => positions.includes(name))?.word;
    const there = after.find((each) => each.word === word);
    return there ? [[name, there.positions]] : [];
  }));
}

/** What the model reads: each word by its letters and how many such there are so far. */
function wordsOf(axes: Axes): { word: string; positions: string[] }[] {
  const axis = axes[readAxis(axes)]; // an image has none
  const before: string[] = [];
  return (axis ? split(axis) : []).map((unit) => {
    const letters = unit.special ? unit.label : unit.label.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, "");
    before.push(letters);
    return { word: `${letters} ${before.filter((each) => each === letters).length}`, positions: positionsOf(unit).map(String) };
  });
}

/** One thing that a reader switched off: a word may be several positions. */
export interface Chip {
  names: string[];
  label: string;
  title: string;
}

/** Name of a part for the reader. */
export function chipsOf(say: Say, names: readonly string[], { axes, taps }: Pick<TraceInfo, "axes" | "taps">): Chip[] {
  const chips = new Map<string, Chip>();
  for (const name of names) {
    const part = partOf(name);
    if (part?.what === "token") {
      const axis = part.axis ?? readAxis(axes);
      const span = axes[axis]?.words?.find(([first, end]) => part.position >= first && part.position < end);
      const place = `${axis} ${span ? span[0] : part.position}`;
      const known = chips.get(place);
      const label = labelOf(axes, axis, part.position, known !== undefined);
      if (known) Object.assign(known, { names: [...known.names, name], label: known.label + label.replace(/^-/, "") });
      else chips.set(place, { names: [name], label, title: say("off.token") });
    } else if (part) {
      const tap = taps.find((each) => each.name === part.tap);
      const where = tap ? `${tapWords(say, tap)}, ${headWords(say, part.head)}` : name;
      const ends = tap && part.what === "edge" ? { query: labelOf(axes, tap.queries, part.query), key: labelOf(axes, tap.keys, part.key) } : null;
      chips.set(name, { names: [name], label: ends ? `${ends.query} → ${ends.key}, ${where}` : where, title: ends ? say("off.edge", ends) : say("off.head", { where }) });
    }
  }
  return [...chips.values()];
}

/** One pull of a reader: what is written there and the words that it sees, whichever rows and keys they have. */
export function pullsOf(say: Say, names: readonly string[], { axes, taps }: Pick<TraceInfo, "axes" | "taps">): Chip[] {
  const chips = new Map<string, Chip>();
  for (const name of names) {
    const look = lookOf(name);
    const tap = taps.find((each) => (look?.tap ? each.name === look.tap : each.kind === "cross"));
    if (!look || !tap) {
      chips.set(name, { names: [name], label: name, title: name });
      continue;
    }
    const [query, key] = [spanAt(axes, tap.queries, look.query + 1), spanAt(axes, tap.keys, look.key)];
    const where = look.tap ? ` ${tapWords(say, tap)}${look.head === null ? "" : `, ${headWords(say, look.head)}`}` : "";
    const place = `${query.first} ${key.first}${where}`;
    const known = chips.get(place);
    if (known) known.names.push(name);
    else chips.set(place, { names: [name], label: `${query.label} → ${key.label}${where && `,${where}`}`, title: say("off.look", { query: query.label, key: key.label, where: where.trim() || say("off.everywhere") }) });
  }
  return [...chips.values()];
}

/** The word at a position. */
function spanAt(axes: Axes, axis: string, position: number): { first: number; label: string } {
  const { words = null, tokens = [] } = axes[axis] ?? {};
  const [first, end] = words?.find(([from, to]) => position >= from && position < to) ?? [position, position + 1];
  if (first >= tokens.length) return { first, label: "</s>" }; // what ends the output is read by no row
  const label = joinedNames(Array.from({ length: end - first }, (_, i) => labelOf(axes, axis, first + i, i > 0).replace(/^-(?=.)/, "")));
  return { first, label: isSpecial(label) ? label : label.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") || label };
}

/** A token; of a word's later ones only what it adds. */
function labelOf(axes: Axes, axis: string, position: number, later = false): string {
  const tokens = axes[axis]?.tokens ?? [];
  if (position >= tokens.length) return `position ${position}`; // an output may be shorter without the part
  const label = labelAt(tokens, position, markOf(tokens.slice(0, 1000)));
  return later ? label : label.replace(/^-(?=.)/, "");
}
