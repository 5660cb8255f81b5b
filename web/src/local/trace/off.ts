/** Parts that are switched off in a run, and looks, as `regard.inspection.hiding` has them. */
import { lookOf, partOf, type Look, type Part } from "../../off/parts";
import type { TraceInfo } from "../../source";
import type { Tap } from "../config";
import type { Native, Passing } from "../native";
import { tapMaps } from "./maps";

/** A change to a run; every part is asked with the name of an attention's tap. */
export interface Edit {
  concerns(tap: string): boolean;
  hides(tap: string, head: number, query: number, key: number): boolean;
  silences(tap: string, head: number): boolean; // the head's output is zero
  draws(tap: string, head: number, query: number): boolean; // the keys that the query sees share its weight evenly
}

export type Taps = ReadonlyMap<string, Tap>;

/** Facts for checking the names of parts. */
interface Sizes {
  positions: Readonly<Record<string, number>>; // of the axes whose lengths are known, what is read first
  taps: Taps;
}

type Edges = { head: number; query: number; key: number }[];

/** Changes to a run, by name. */
export interface Changes {
  without: readonly string[];
  looks: readonly string[];
}

/** The axes of what a model reads and of what it writes, or the only one, first and last. */
function between(taps: Taps): [read: string, written: string] {
  const all = [...taps.values()];
  return [all[0]?.keys ?? "", all.at(-1)?.queries ?? ""];
}

function parsed(name: string): Part {
  const part = partOf(name);
  if (part) return part;
  throw new Error(`A part to switch off must be a position such as 3, a head such as decoder.layers.0.self:1, or an edge such as decoder.layers.0.self:1:4:2; got ${name}.`);
}

/** The looks of these names, of one layer each. Throws for a name of something else. */
function looksOf(names: readonly string[], taps: Taps): (Look & { tap: string })[] {
  const [read, written] = between(taps);
  const layers = [...taps.values()].filter(({ queries, keys }) => queries === written && keys === read);
  return names.flatMap((name) => {
    const look = lookOf(name);
    if (!look) throw new Error(`A look must be a row and the position that it looks at, such as 4:8, or in one head decoder.layers.0.cross:1:4:8; got ${name}.`);
    return (look.tap ? [look.tap] : layers.map(({ name: tap }) => tap)).map((tap) => ({ ...look, tap }));
  });
}

/** Rows of the output that look where they are made to, in order. */
export const lookingRows = (names: readonly string[]): number[] =>
  [...new Set(names.flatMap((name) => (ofOutput(name) ? [lookOf(name)?.query ?? 0] : [])))].sort((one, other) => one - other);

/** The same looks without those of this row of the output and behind it. */
export const looksBefore = (names: readonly string[], row: number): string[] => names.filter((name) => !ofOutput(name) || (lookOf(name)?.query ?? 0) < row);

const ofOutput = (name: string) => !lookOf(name)?.tap?.startsWith("encoder");

/** The parts of these names. Throws for a position, tap or head that there is not. */
export function checked({ without, looks }: Changes, { positions, taps }: Sizes): { parts: Part[]; looks: Look[] } {
  const axes = [...new Set(between(taps))];
  const [read] = axes as [string];
  const parts = without.map((name) => {
    const part = parsed(name);
    if (part.what === "token") {
      if (part.axis !== null && !axes.includes(part.axis)) throw new Error(`An axis must be ${axes.join(" or ")}; got ${part.axis}.`);
      inside(part.position, part.axis ?? read);
      return part;
    }
    const { queries, keys } = present(part.tap, part.head);
    if (part.what === "edge") inside(part.query, queries);
    if (part.what === "edge") inside(part.key, keys);
    return part;
  });
  const found = looksOf(looks, taps);
  for (const { tap, head, query, key } of found) {
    const { queries, keys, causal } = present(tap, head ?? 0);
    inside(query, queries);
    inside(key, keys);
    if (causal && key > query) throw new Error(`${tap} sees no later position; got a look from ${query} to ${key}.`);
    const struck = parts.some((part) => part.what === "token" && (part.axis ?? read) === keys && part.position === key);
    if (struck && !(queries === keys && query === key)) throw new Error(`Position ${key} of ${keys} is struck out, so nothing can look at it; put it back, or look at another one.`);
  }
  return { parts, looks: found };

  function present(name: string, head: number): Tap {
    const tap = taps.get(name);
    if (!tap) throw new Error(`There is no tap ${name}; choose one of ${[...taps.keys()].join(", ")}.`);
    if (head >= tap.heads) throw new Error(`${name} has heads 0 to ${tap.heads - 1}; got ${head}.`);
    return tap;
  }

  function inside(position: number, axis: string): void {
    const length = positions[axis] ?? Infinity;
    if (position >= length) throw new Error(`Positions of ${axis} must be from 0 to ${length - 1}; got ${position}.`);
  }
}

/** The change to a run; null where nothing is off and nothing looks where it is made to. */
export function editOf({ without: names, looks }: Changes, taps: Taps): Edit | null {
  if (!names.length && !looks.length) return null;
  const [read] = between(taps);
  const positions = new Map<string, Set<number>>();
  const heads = new Map<string, Set<number>>();
  const edges = new Map<string, Edges>();
  for (const part of names.map(parsed)) {
    if (part.what === "token") positions.set(part.axis ?? read, (positions.get(part.axis ?? read) ?? new Set()).add(part.position));
    else if (part.what === "head") heads.set(part.tap, (heads.get(part.tap) ?? new Set()).add(part.head));
    else edges.set(part.tap, [...(edges.get(part.tap) ?? []), part]);
  }
  // Asked for every score: what concerns a tap is looked up once.
  const hidden = new Map<string, { keys: ReadonlySet<number>; own: boolean; edges: Edges; looks: Map<number, Look[]> } | null>();
  const concerning = (tap: string) => {
    const known = hidden.get(tap);
    if (known !== undefined) return known;
    const { queries, keys } = taps.get(tap) as Tap;
    const rows = new Map<number, Look[]>();
    for (const look of looksOf(looks, taps)) if (look.tap === tap) rows.set(look.query, [...(rows.get(look.query) ?? []), look]);
    const found = { keys: positions.get(keys) ?? new Set<number>(), own: queries === keys, edges: edges.get(tap) ?? [], looks: rows };
    const any = found.keys.size + found.edges.length + rows.size > 0 ? found : null;
    hidden.set(tap, any);
    return any;
  };
  const looked = (tap: string, head: number, query: number) => concerning(tap)?.looks.get(query)?.filter((each) => (each.head ?? head) === head) ?? [];
  return {
    concerns: (tap) => heads.has(tap) || concerning(tap) !== null,
    draws: (tap, head, query) => looked(tap, head, query).length > 0,
    hides: (tap, head, query, key) => {
      const found = concerning(tap);
      if (!found) return false;
      if (found.keys.has(key) && !(found.own && query === key)) return true;
      if (found.edges.some((each) => each.head === head && each.query === query && each.key === key)) return true;
      if (!found.looks.has(query)) return false;
      const looks = looked(tap, head, query);
      return looks.length > 0 && !looks.some((each) => each.key === key);
    },
    silences: (tap, head) => heads.get(tap)?.has(head) ?? false,
  };
}

/** Puts what an edited attention gives in the place of what it gave; its first row is at a position. */
export function put(engine: Native, edit: Edit, tap: Tap, passing: Passing, first = 0): void {
  if (!edit.concerns(tap.name)) return;
  const inputs = passing.inputs();
  tapMaps(engine, tap, inputs, edit, first).maps.forEach(({ weights }, head) => {
    for (let row = 0; row < passing.rows; row++) {
      const output = passing.output(row, head).fill(0);
      if (!edit.silences(tap.name, head)) averaged(weights, row, inputs.value, tap, head, output);
    }
  });
}

/** A row of weights times the values of a head, added to what is there. */
function averaged(weights: Float32Array, row: number, value: Float32Array, { heads, dim }: Tap, head: number, output: Float32Array): void {
  const columns = value.length / (heads * dim);
  for (let at = 0; at < columns; at++) {
    const weight = weights[row * columns + at] as number;
    if (!(weight > 0)) continue; // hidden: NaN
    for (let i = 0; i < dim; i++) output[i] = (output[i] as number) + weight * (value[(at * heads + head) * dim + i] as number);
  }
}

/** Notes on what is off, and on what looks where it is made to. */
export function notesOf({ parts, looks }: ReturnType<typeof checked>, taps: Taps, axes: TraceInfo["axes"], readable: (token: string) => string): string[] {
  const [read] = between(taps);
  const named = (axis: string, position: number, tokens = axes[axis]?.tokens) => {
    const token = tokens?.[position];
    return token === undefined ? `position ${position}` : `“${readable(token)}”`;
  };
  const words = parts.flatMap((each) => (each.what === "token" ? [named(each.axis ?? read, each.position)] : []));
  const heads = parts.flatMap((each) => (each.what === "head" ? [`switched off: head ${each.head} of ${each.tap}`] : []));
  const edges = parts.flatMap((each) => {
    if (each.what !== "edge") return [];
    const { queries, keys } = taps.get(each.tap) as Tap;
    return [`switched off: ${named(queries, each.query)} to ${named(keys, each.key)}, in head ${each.head} of ${each.tap}`];
  });
  const seen = new Map<string, Map<string, string[]>>(); // of a row: keys, by where it sees them alone
  for (const { tap, head, query, key } of looks as (Look & { tap: string })[]) {
    const { queries, keys } = taps.get(tap) as Tap;
    const row = named(queries, query, axes[queries]?.predicts ?? undefined);
    const where = head === null ? tap : `head ${head} of ${tap}`;
    const places = seen.get(row) ?? new Map<string, string[]>();
    seen.set(row, places.set(where, [...(places.get(where) ?? []), named(keys, key)]));
  }
  const pulled = [...seen].flatMap(([row, places]) => {
    const taps = new Map<string, string[]>();
    for (const [where, keys] of places) taps.set(keys.join(" and "), [...(taps.get(keys.join(" and ")) ?? []), where]);
    return [...taps].map(([keys, at]) => `pulled: ${row} sees ${keys} alone, in ${at.join(", ")}`);
  });
  return [...(words.length ? [`struck out: no other position sees ${words.join(", ")}`] : []), ...heads, ...edges, ...pulled];
}
