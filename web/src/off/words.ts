/** Words of a sentence that another one does not have in their place. */

export interface Part {
  text: string; // of the sentence, as it stands there
  changed: boolean;
}

/** Both sentences in parts; the words they share in order, as many as can be, are unchanged. */
export function changed(before: string, after: string): { before: Part[]; after: Part[] } {
  const [one, other] = [words(before), words(after)];
  const longest = shared(one, other);
  const [kept, keptOther] = [new Set<number>(), new Set<number>()];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (same(one[i], other[j])) {
      kept.add(i++);
      keptOther.add(j++);
    } else if (at(longest, i + 1, j) >= at(longest, i, j + 1)) i++;
    else j++;
  }
  return { before: joined(one, kept), after: joined(other, keptOther) };
}

/** Words and marks of punctuation, each with the space before it. */
const words = (text: string): string[] => text.trim().match(/\s*(?:[\p{L}\p{M}\p{N}]+|\S)/gu) ?? [];
const same = (one = "", other = "") => one.trim() === other.trim();
const at = (table: number[][], i: number, j: number) => table[i]?.[j] ?? 0;

/** Number of words that the ends from i and from j share in order. */
function shared(one: string[], other: string[]): number[][] {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      (table[i] as number[])[j] =
        same(one[i], other[j]) ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
  return table;
}

function joined(all: string[], kept: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  all.forEach((word, i) => {
    const differs = !kept.has(i);
    const last = parts.at(-1);
    if (last && last.changed === differs) last.text += word;
    else parts.push({ text: word, changed: differs });
  });
  return parts;
}
