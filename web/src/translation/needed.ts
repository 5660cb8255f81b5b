/** Words that a written word needs and hardly looks at: as `Need.unseen` of regard.inspection.views.needed. */
import { middle, type Extent, type Strand } from "../links/layout";
import type { Reliance } from "../source";
import type { Weights } from "../weights/matrix";
import type { Aligned } from "./aligned";

export const LITTLE = 0.1; // of the weight, the mean over layers and heads
export const MUCH = 0.3; // of the probability of the word's first token, which is lost without the other

export interface Need {
  query: number; // indices of words
  key: number;
  row: number; // that predicts the word's first token
  label: string; // of the word that is needed
  looked: number;
  change: number;
}

/** `relied`: of each word of the source; `maps`: of each layer, the mean over its heads. */
export function needsOf({ output, source, trace, tap }: Pick<Aligned, "output" | "source" | "trace" | "tap">, chances: readonly number[], relied: readonly (Reliance | null)[], maps: readonly Weights[]): Need[] {
  const prompt = trace.axes[tap.queries]?.prompt ?? 1;
  return output.flatMap(({ rows: { first: row }, special }, query) =>
    special || !(chances[query]! >= MUCH) ? [] : source.flatMap(({ first, end, label }, key) => {
      const change = relied[key]?.changes[row + 1 - prompt] ?? 0;
      const looked = maps.reduce((sum, { values, width }) => values.subarray(row * width + first, row * width + end).reduce((all, weight) => all + weight, sum), 0) / maps.length;
      return change < -MUCH && looked < LITTLE ? [{ query, key, row, label, looked, change }] : [];
    }),
  );
}

export const NEEDED = 1; // slot of these lines
const [THIN, INSIDE] = [2.5, 8]; // px: width, and how far from a word's edge

/** Lines beside the ribbons, which lie in the middle: each end as near to the other as its word allows. */
export function needLines(needs: readonly Need[], source: readonly Extent[], output: readonly Extent[]): Strand[] {
  const near = ({ start, end }: Extent, other: Extent) => Math.min(Math.max(middle(other), start + INSIDE), end - INSIDE);
  return needs.map(({ query, key, looked: value }) => {
    const [above, below] = [source[key] as Extent, output[query] as Extent];
    return { query, key, slot: NEEDED, value, from: near(above, below), to: near(below, above), width: THIN };
  });
}

/** "−91" */
export const pointsOf = (change: number): string => `−${Math.round(-100 * change)}`;
