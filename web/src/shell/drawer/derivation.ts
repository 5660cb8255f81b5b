/** The steps from q·k to the score, taken apart; pure, so that they can be checked. */
import type { Cell } from "../../source";

const CLOSE = 1e-3; // of the score; a run in half precision keeps no more

/** Null where the score is no multiple of q·k, so that there are no such steps. `capped`: what is left between
 * them and the score is a soft cap. */
export function derivation(cell: Pick<Cell, "dot" | "scale" | "score" | "bias">) {
  const { dot, scale, score, bias } = cell;
  if (dot === null || scale === null) return null;
  const scaled = dot * scale;
  const biased = scaled + (bias ?? 0);
  const capped = score !== null && Math.abs(biased - score) > CLOSE * Math.max(1, Math.abs(score));
  return { dot, scale, scaled, bias, biased, capped };
}

export interface Product {
  index: number;
  query: number;
  key_: number; // "key" means something else to a component
  product: number;
}

/** The terms of q·k that weigh most, either way, and what the others have together. */
export function largestProducts(cell: Pick<Cell, "query_vector" | "key_vector">, count: number) {
  const all: Product[] = cell.query_vector.map((query, index) => {
    const key_ = cell.key_vector[index] ?? 0;
    return { index, query, key_, product: query * key_ };
  });
  all.sort((a, b) => Math.abs(b.product) - Math.abs(a.product) || a.index - b.index);
  const rest = all.slice(count).reduce((sum, each) => sum + each.product, 0);
  return { products: all.slice(0, count), others: Math.max(0, all.length - count), rest };
}
