/** Two words of a long text, by what is typed: where they stand. */
import type { Unit } from "../weights/units";

type Sought = { query?: number | undefined; key?: number | undefined };

/** A pair of a query and a key, from the last occurrences on: asked again, what is `before` gives way to the occurrence before it. */
export function pairOf(queries: readonly Unit[], keys: readonly Unit[], from: string, to: string, causal: boolean, before: Sought = {}): Sought {
  const query = lastOf(queries, from, before.query);
  const end = causal ? (query ?? -1) : Infinity; // a word that looks at itself says little
  const key = lastOf(keys.filter((each) => each.end <= end), to, before.key);
  return { query, key };
}

/** Where a word last ends, before a position if it can; of words that only contain what is typed if none is it. */
function lastOf(all: readonly Unit[], typed: string, before = Infinity): number | undefined {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return undefined;
  const holding = all.filter(({ label }) => label.toLowerCase().includes(wanted));
  const exact = holding.filter(({ label }) => label.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").length <= wanted.length);
  const ends = (exact.length ? exact : holding).map(({ end }) => end - 1);
  return ends.filter((position) => position < before).at(-1) ?? ends.at(-1);
}
