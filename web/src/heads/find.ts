/** Two words of a long text, by what is typed: where they stand. */
import type { Position } from "../state";
import type { Unit } from "../weights/units";

/** A pair of a query and a key, from the last occurrences on: asked again, what is `before` gives way to the occurrence before it. */
export function pairOf(queries: readonly Unit[], keys: readonly Unit[], from: string, to: string, causal: boolean, before: Partial<Position> = {}): Partial<Position> {
  const query = lastOf(queries, from, before.query);
  const end = causal ? (query ?? -1) : Infinity; // a word that looks at itself says little
  const key = lastOf(keys.filter((each) => each.end <= end), to, before.key);
  return { ...(query !== undefined && { query }), ...(key !== undefined && { key }) };
}

/** Where a word last ends, before a position if it can; of words that only contain what is typed if none is it. */
function lastOf(all: readonly Unit[], typed: string, before = Infinity): number | undefined {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return undefined;
  const labels = all.map(({ label }) => label.toLowerCase());
  const those = (fits: (label: string) => boolean) => all.filter((_, i) => fits(labels[i] as string)).map(({ end }) => end - 1);
  const exact = those((label) => label.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") === wanted || label === wanted);
  const found = exact.length ? exact : those((label) => label.includes(wanted));
  return found.filter((position) => position < before).at(-1) ?? found.at(-1);
}
