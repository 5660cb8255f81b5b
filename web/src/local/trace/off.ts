/** Parts that are switched off in a run, and looks, as `regard.inspection.hiding` has them. */
import { lookOf, partOf, type Look, type Part } from "../../off/parts";
import type { TraceInfo } from "../../source";
import type { Tap } from "../config";
import type { Passing } from "../native";
import { tapMaps } from "./maps";

/** A change to a run; every part is asked with the name of an attention's tap. */
export interface Edit {
  concerns(tap: string): boolean;
  hides(tap: string, head: number, query: number, key: number): boolean;
  silences(tap: string, head: number): boolean; // the head's output is zero
  draws(tap: string, head: number, query: number): boolean; // the keys that the query sees share its weight evenly
}

/** Facts for checking the names of parts. */
interface Sizes {
  source: number; // positions
  taps: ReadonlyMap<string, Tap>;
}

type Edges = { head: number; query: number; key: number }[];

/** Changes to a run, by name. */
export interface Changes {
  without: readonly string[];
  looks: readonly string[];
}

/** Axes of a tap's queries and keys. */
function axesOf(tap: string): [queries: string, keys: string] {
  const own = tap.startsWith("encoder") ? "source" : "target";
  return [own, tap.endsWith("cross") ? "source" : own];
}

function parsed(name: string): Part {
  const part = partOf(name);
  if (part) return part;
  throw new Error(`A part to switch off must be a position such as 3, a head such as decoder.layers.0.self:1, or an edge such as decoder.layers.0.self:1:4:2; got ${name}.`);
}

/** The looks of these names, of one layer each. Throws for a name of something else. */
function looksOf(names: readonly string[], taps: readonly string[]): (Look & { tap: string })[] {
  return names.flatMap((name) => {
    const look = lookOf(name);
    if (!look) throw new Error(`A look must be a row and the position that it looks at, such as 4:8, or in one head decoder.layers.0.cross:1:4:8; got ${name}.`);
    return (look.tap ? [look.tap] : taps.filter((tap) => tap.endsWith("cross"))).map((tap) => ({ ...look, tap }));
  });
}

/** Rows of the output that look where they are made to, in order. */
export const lookingRows = (names: readonly string[]): number[] =>
  [...new Set(names.flatMap((name) => (ofOutput(name) ? [lookOf(name)?.query ?? 0] : [])))].sort((one, other) => one - other);

/** The same looks without those of this row of the output and behind it. */
export const looksBefore = (names: readonly string[], row: number): string[] => names.filter((name) => !ofOutput(name) || (lookOf(name)?.query ?? 0) < row);

const ofOutput = (name: string) => !lookOf(name)?.tap?.startsWith("encoder");

/** The parts of these names. Throws for a position, tap or head that there is not. */
export function checked({ without, looks }: Changes, { source, taps }: Sizes): { parts: Part[]; looks: Look[] } {
  const parts = without.map((name) => {
    const part = parsed(name);
    if (part.what === "token") {
      if (part.axis !== null && part.axis !== "target" && part.axis !== "source") throw new Error(`An axis must be source or target; got ${part.axis}.`);
      if (part.axis !== "target") inside(part.position, source);
      return part;
    }
    present(part.tap, part.head);
    const [queries, keys] = axesOf(part.tap);
    if (part.what === "edge" && queries === "source") inside(part.query, source);
    if (part.what === "edge" && keys === "source") inside(part.key, source);
    return part;
  });
  const found = looksOf(looks, [...taps.keys()]);
  for (const { tap, head, query, key } of found) {
    present(tap, head ?? 0);
    const [queries, keys] = axesOf(tap);
    if (queries === "source") inside(query, source);
    if (keys === "source") inside(key, source);
    if (keys === "target" && key > query) throw new Error(`${tap} sees no later position; got a look from ${query} to ${key}.`);
    const struck = parts.some((part) => part.what === "token" && (part.axis ?? "source") === keys && part.position === key);
    if (struck && !(queries === keys && query === key)) throw new Error(`Position ${key} of ${keys} is struck out, so nothing can look at it; put it back, or look at another one.`);
  }
  return { parts, looks: found };

  function present(tap: string, head: number): void {
    const count = taps.get(tap)?.heads;
    if (count === undefined) throw new Error(`There is no tap ${tap}; choose one of ${[...taps.keys()].join(", ")}.`);
    if (head >= count) throw new Error(`${tap} has heads 0 to ${count - 1}; got ${head}.`);
  }
}

function inside(position: number, length: number): void {
  if (position >= length) throw new Error(`Positions of source must be from 0 to ${length - 1}; got ${position}.`);
}

/** The change to a run; null where nothing is off and nothing looks where it is made to. */
export function editOf({ without: names, looks }: Changes): Edit | null {
  if (!names.length && !looks.length) return null;
  const positions = new Map<string, Set<number>>([["source", new Set()], ["target", new Set()]]);
  const heads = new Map<string, Set<number>>();
  const edges = new Map<string, Edges>();
  for (const part of names.map(parsed)) {
    if (part.what === "token") positions.get(part.axis ?? "source")?.add(part.position);
    else if (part.what === "head") heads.set(part.tap, (heads.get(part.tap) ?? new Set()).add(part.head));
    else edges.set(part.tap, [...(edges.get(part.tap) ?? []), part]);
  }
  // Asked for every score: what concerns a tap is looked up once.
  const hidden = new Map<string, { keys: ReadonlySet<number>; own: boolean; edges: Edges; looks: Map<number, Look[]> } | null>();
  const concerning = (tap: string) => {
    const known = hidden.get(tap);
    if (known !== undefined) return known;
    const [queries, keys] = axesOf(tap);
    const rows = new Map<number, Look[]>();
    for (const look of looksOf(looks, [tap])) if (look.tap === tap) rows.set(look.query, [...(rows.get(look.query) ?? []), look]);
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
export function put(edit: Edit, tap: Tap, passing: Passing, first = 0): void {
  if (!edit.concerns(tap.name)) return;
  const inputs = passing.inputs();
  tapMaps(tap, inputs, edit, first).maps.forEach(({ weights }, head) => {
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
export function notesOf({ parts, looks }: ReturnType<typeof checked>, axes: TraceInfo["axes"], readable: (token: string) => string): string[] {
  const named = (axis: string, position: number, tokens = axes[axis]?.tokens) => {
    const token = tokens?.[position];
    return token === undefined ? `position ${position}` : `“${readable(token)}”`;
  };
  const words = parts.flatMap((each) => (each.what === "token" ? [named(each.axis ?? "source", each.position)] : []));
  const heads = parts.flatMap((each) => (each.what === "head" ? [`switched off: head ${each.head} of ${each.tap}`] : []));
  const edges = parts.flatMap((each) => {
    if (each.what !== "edge") return [];
    const [queries, keys] = axesOf(each.tap);
    return [`switched off: ${named(queries, each.query)} to ${named(keys, each.key)}, in head ${each.head} of ${each.tap}`];
  });
  const seen = new Map<string, Map<string, string[]>>(); // of a row: keys, by where it sees them alone
  for (const { tap, head, query, key } of looks as (Look & { tap: string })[]) {
    const [queries, keys] = axesOf(tap);
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
