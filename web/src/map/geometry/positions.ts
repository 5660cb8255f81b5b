/** The rows or columns of a map: tokens, or the words or sentences they are grouped into. */
import type { AxisInfo, Group, TapInfo, TraceInfo } from "../../source";
import { joinTokens, labelAt, markOf, spansOf, tokenLabel, unitAt, type Span } from "../../weights/units";
import type { Shape } from "./viewport";

export interface Positions {
  axis: string;
  length: number;
  grouped: boolean;
  /** Tokens in no group, as the end of a sentence, which is no word: the map is without them. */
  outside: readonly string[];
  /** Text at a position: a token, a word, a sentence. */
  label(position: number): string;
  /** Token that a decoder writes after it reads this one, or the word that its word's last token
   * goes on to; null where that is not known. */
  predicts(position: number): string | null;
  /** The first token of a position, and the position that holds a token (-1: none does). */
  token(position: number): number;
  of(token: number): number;
}

export interface Axes {
  queries: Positions;
  keys: Positions;
  shape: Shape;
}

export function axesOf(trace: TraceInfo, tap: TapInfo, group: Group): Axes {
  const queries = positions(trace.axes[tap.queries], tap.queries, tap.rows, group);
  const keys = positions(trace.axes[tap.keys], tap.keys, tap.columns, group);
  return { queries, keys, shape: { rows: queries.length, columns: keys.length } };
}

/** An axis without such groups is shown as tokens: that is what its tiles hold. */
export function positions(axis: AxisInfo | undefined, name: string, count: number, group: Group): Positions {
  const tokens = axis?.tokens ?? [];
  const style = markOf(tokens);
  const groups = axis && spansOf(axis, group)?.map(([first, end]): Span => ({ first, end }));
  const at = (i: number): Span => (groups ? (groups[i] ?? { first: 0, end: 0 }) : { first: i, end: i + 1 });
  const label = kept((i) => {
    const { first, end } = at(i);
    if (groups) return axis?.peaks ? (tokens[first] as string) : joinTokens(tokens.slice(first, end), style);
    return tokens[i] === undefined ? String(i) : labelAt(tokens, i, style);
  });
  return {
    axis: name,
    length: groups?.length ?? count,
    grouped: groups !== undefined,
    outside: groups ? outsideOf(groups, tokens.slice(0, count)) : [],
    label,
    predicts: (i) => {
      const { end } = at(i);
      const next = axis?.predicts?.[end - 1];
      if (next === undefined || (groups && group !== "word")) return null;
      const word = groups && next === tokens[end] ? unitAt(groups, end) : -1; // -1: of another text, or in no word
      return word < 0 ? tokenLabel(next, style) : label(word);
    },
    token: (i) => at(i).first,
    of: (token) => (groups ? unitAt(groups, token) : token >= 0 && token < count ? token : -1),
  };
}

function outsideOf(groups: Span[], tokens: string[]): string[] {
  return [...new Set(tokens.filter((_, i) => unitAt(groups, i) < 0))];
}

/** Labels are made when first read: a map of 131,072 tokens shows a hundred at a time. */
function kept(make: (position: number) => string): (position: number) => string {
  const made = new Map<number, string>();
  return (position) => {
    let label = made.get(position);
    if (label === undefined) {
      label = make(position);
      made.set(position, label);
    }
    return label;
  };
}
