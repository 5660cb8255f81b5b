/** Parts that are switched off in a run, as `regard.inspection.hiding` has them. */
import { partOf, type Part } from "../../off/parts";
import type { TraceInfo } from "../../source";
import type { Edit } from "../layers/attention";

/** Facts for checking the names of parts. */
interface Sizes {
  source: number; // positions
  heads: ReadonlyMap<string, number>; // of each tap
}

type Edges = { head: number; query: number; key: number }[];

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

/** The parts of these names. Throws for a position, tap or head that there is not. */
export function checked(names: readonly string[], { source, heads }: Sizes): Part[] {
  return names.map((name) => {
    const part = parsed(name);
    if (part.what === "token") {
      if (part.axis !== null && part.axis !== "target" && part.axis !== "source") throw new Error(`An axis must be source or target; got ${part.axis}.`);
      if (part.axis !== "target") inside(part.position, source);
      return part;
    }
    const count = heads.get(part.tap);
    if (count === undefined) throw new Error(`There is no tap ${part.tap}; choose one of ${[...heads.keys()].join(", ")}.`);
    if (part.head >= count) throw new Error(`${part.tap} has heads 0 to ${count - 1}; got ${part.head}.`);
    const [queries, keys] = axesOf(part.tap);
    if (part.what === "edge" && queries === "source") inside(part.query, source);
    if (part.what === "edge" && keys === "source") inside(part.key, source);
    return part;
  });
}

function inside(position: number, length: number): void {
  if (position >= length) throw new Error(`Positions of source must be from 0 to ${length - 1}; got ${position}.`);
}

/** The change to a run without these parts; null where nothing is off. */
export function without(names: readonly string[]): Edit | null {
  if (!names.length) return null;
  const positions = new Map<string, Set<number>>([["source", new Set()], ["target", new Set()]]);
  const heads = new Map<string, Set<number>>();
  const edges = new Map<string, Edges>();
  for (const part of names.map(parsed)) {
    if (part.what === "token") positions.get(part.axis ?? "source")?.add(part.position);
    else if (part.what === "head") heads.set(part.tap, (heads.get(part.tap) ?? new Set()).add(part.head));
    else edges.set(part.tap, [...(edges.get(part.tap) ?? []), part]);
  }
  // Asked for every score: what concerns a tap is looked up once.
  const hidden = new Map<string, { keys: ReadonlySet<number>; own: boolean; edges: Edges } | null>();
  const concerning = (tap: string) => {
    const known = hidden.get(tap);
    if (known !== undefined) return known;
    const [queries, keys] = axesOf(tap);
    const found = { keys: positions.get(keys) ?? new Set<number>(), own: queries === keys, edges: edges.get(tap) ?? [] };
    const any = found.keys.size > 0 || found.edges.length > 0 ? found : null;
    hidden.set(tap, any);
    return any;
  };
  return {
    hides: (tap, head, query, key) => {
      const found = concerning(tap);
      if (!found) return false;
      if (found.keys.has(key) && !(found.own && query === key)) return true;
      return found.edges.length > 0 && found.edges.some((each) => each.head === head && each.query === query && each.key === key);
    },
    silences: (tap, head) => heads.get(tap)?.has(head) ?? false,
  };
}

/** The edit of one step of a decode: all its rows are hypotheses, at the same position. */
export function atStep(edit: Edit | null, position: number): Edit | null {
  return edit && { ...edit, hides: (tap, head, _, key) => edit.hides?.(tap, head, position, key) ?? false };
}

/** Note on what is off. */
export function notesOf(parts: readonly Part[], axes: TraceInfo["axes"], readable: (token: string) => string): string[] {
  const named = (axis: string, position: number) => {
    const token = axes[axis]?.tokens[position];
    return token === undefined ? `position ${position}` : `“${readable(token)}”`;
  };
  const words = parts.flatMap((each) => (each.what === "token" ? [named(each.axis ?? "source", each.position)] : []));
  const heads = parts.flatMap((each) => (each.what === "head" ? [`switched off: head ${each.head} of ${each.tap}`] : []));
  const edges = parts.flatMap((each) => {
    if (each.what !== "edge") return [];
    const [queries, keys] = axesOf(each.tap);
    return [`switched off: ${named(queries, each.query)} to ${named(keys, each.key)}, in head ${each.head} of ${each.tap}`];
  });
  return [...(words.length ? [`struck out: no other position sees ${words.join(", ")}`] : []), ...heads, ...edges];
}
