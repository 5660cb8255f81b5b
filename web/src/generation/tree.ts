/** Beams as a tree: what hypotheses share is there once. */
import type { GenerationInfo } from "../source";

type Hypothesis = Pick<GenerationInfo["hypotheses"][number], "tokens">;

export interface Branch {
  tokens: string[]; // from the fork above to the next one
  through: number[]; // hypotheses that pass here
  ends: number[]; // hypotheses that end here
  branches: Branch[]; // the shown one's first, then by the best hypothesis in each
}

/** The prefix tree of the hypotheses, chains joined; `shown` goes first at every fork. */
export function prefixTree(hypotheses: readonly Hypothesis[], shown: number): Branch {
  const order = hypotheses.map((_, index) => index).sort((a, b) => Number(b === shown) - Number(a === shown) || a - b);
  return grown(order, hypotheses, 0);
}

function grown(through: number[], hypotheses: readonly Hypothesis[], depth: number): Branch {
  const tokensOf = (index: number) => hypotheses[index]?.tokens ?? [];
  let end = depth;
  const [first] = through;
  const lead = first === undefined ? [] : tokensOf(first);
  while (end < lead.length && through.every((index) => tokensOf(index)[end] === lead[end])) end++;
  const next = new Map<string, number[]>();
  for (const index of through) {
    const token = tokensOf(index)[end];
    if (token === undefined) continue;
    next.set(token, [...(next.get(token) ?? []), index]);
  }
  return {
    tokens: lead.slice(depth, end),
    through,
    ends: through.filter((index) => tokensOf(index).length === end),
    branches: [...next.values()].map((group) => grown(group, hypotheses, end)),
  };
}
