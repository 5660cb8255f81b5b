/** The pieces a sequence is shown in: its tokens, words or sentences, each with something to read. */
import type { AxisInfo, Group } from "../source";
import { isBytes, joinedNames } from "./naming";

/** A half-open span of token positions. */
export interface Span {
  first: number;
  end: number;
}

export const positionsOf = ({ first, end }: Span): number[] => Array.from({ length: end - first }, (_, i) => first + i);

export interface Unit extends Span {
  label: string; // what is read on the chip
  title: string; // the tokens as they are
  special: boolean; // `<s>`, `</s>`, `[CLS]`: written by the model's rules, not by a person
}

/** Spans of the words or sentences of an axis; null of tokens, and where it knows none. */
export function spansOf(axis: AxisInfo, group: Group): [number, number][] | null {
  return group === "token" ? null : group === "word" ? axis.words : axis.sentences;
}

/** The units of an axis in order. Positions that no word or sentence covers stand alone. */
export function units(axis: AxisInfo, group: Group): Unit[] {
  const named = spansOf(axis, group);
  if (named && axis.peaks) return named.map(([first, end]) => stretch(axis.tokens, first, end, first >= (axis.peaks?.length ?? 0)));
  const style = markOf(axis.tokens); // once: a long text without marks is read to its end for it
  return covered(named, axis.tokens.length).map((span) => new Piece(axis.tokens, style, span.first, span.end));
}

/** Part of a sound, by when it begins; the silence behind the end was not said, so it is special. */
function stretch(tokens: readonly string[], first: number, end: number, special: boolean): Unit {
  const from = tokens[first] as string;
  return { first, end, label: special ? `${from} …` : from, title: `${from} – ${tokens[end] ?? "…"}`, special };
}

/** The units that look: a decoder's tokens say what they predict as well, for that is what they look for. */
export function lookers(axis: AxisInfo, group: Group): Unit[] {
  const all = units(axis, group);
  const { predicts } = axis;
  if (group !== "token" || !predicts) return all;
  const [style, next] = [markOf(axis.tokens), markOf(predicts)];
  return all.map(({ first, end }) => new Piece(axis.tokens, style, first, end, predicts[first], next));
}

/** True if an axis knows such units at all; tokens it always knows. */
export function knows(axis: AxisInfo | undefined, group: Group): boolean {
  return axis !== undefined && (group === "token" || spansOf(axis, group) !== null);
}

/** Spans that together cover 0..length once: the given ones, and one for each position between. */
export function covered(named: [number, number][] | null, length: number): Span[] {
  const spans: Span[] = [];
  let next = 0;
  const alone = (until: number) => {
    for (; next < until; next++) spans.push({ first: next, end: next + 1 });
  };
  for (const [first, end] of named ?? []) {
    alone(Math.min(first, length));
    if (end <= next || first >= length) continue;
    spans.push({ first: next, end: Math.min(end, length) });
    next = Math.min(end, length);
  }
  alone(length);
  return spans;
}

/** The index of the unit that holds a position; -1 where none does. Units are in order. */
export function unitAt(all: readonly Span[], position: number): number {
  let low = 0;
  let high = all.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = all[middle]!;
    if (position < span.first) high = middle - 1;
    else if (position >= span.end) low = middle + 1;
    else return middle;
  }
  return -1;
}

export function isSpecial(token: string): boolean {
  return /^(<(?!0x[0-9A-F]{2}>)[^<>\s]+>|\[[A-Z]+\d*\])$/.test(token);
}

/** One token to read: word marks become a leading hyphen on what continues a word. */
export function tokenLabel(token: string, style: Style): string {
  if (isSpecial(token)) return token;
  const bare = token.replace(/^[▁Ġ]+|^##|<\/w>$/g, "").replace(/[▁Ġ]/g, " ");
  const text = bare.replace(/[\nĊ]/g, "⏎").replace(/\t/g, "⇥");
  if (text.trim() === "") return text.includes("⏎") ? text : "␣";
  return style !== "letters" && continues(token, style) && /^[\p{L}\p{N}\p{M}]/u.test(text) ? `-${text}` : text;
}

/** The token at a position: the first of a text continues no word, whatever its mark. */
export function labelAt(tokens: readonly string[], position: number, style: Style): string {
  return tokenLabel(tokens[position] ?? "", position === 0 && style === "start" ? "none" : style);
}

/** Several tokens as running text. */
export function joinTokens(tokens: readonly string[], style: Style = markOf(tokens)): string {
  const parts: string[] = [];
  tokens.forEach((token) => {
    const bare = isSpecial(token)
      ? token
      : token.replace(/^##|<\/w>$/g, "").replace(/[▁Ġ]/g, " ").replace(/Ċ/g, "\n");
    const spaced = style === "none" || style === "hash" ? !continues(token, style) : isSpecial(token);
    if (parts.length && spaced && !/\s$/.test(parts.at(-1) as string)) parts.push(" ");
    parts.push(bare);
  });
  return joinedNames(parts).trim();
}

/** Mark of a word's beginning, guessed from the tokens; where each is a letter, none has one. */
export type Style = "start" | "hash" | "letters" | "none";
const FEWEST_LETTERS = 4;
export function markOf(tokens: readonly string[]): Style {
  if (tokens.length >= FEWEST_LETTERS && tokens.every((token) => isSpecial(token) || isBytes(token) || [...token].length === 1)) return "letters";
  if (tokens.some((token) => /^[▁Ġ]/.test(token) || /^ \S/.test(token))) return "start";
  return tokens.some((token) => token.startsWith("##")) ? "hash" : "none";
}

/** True if no space stands before a token in running text. */
export function continues(token: string, style: Style): boolean {
  if (isBytes(token)) return true;
  if (style === "letters") return !isSpecial(token);
  if (style === "start") return !/^[▁Ġ\s]/.test(token) && !isSpecial(token);
  return style === "hash" && token.startsWith("##");
}

/** A unit whose words are put together where they are read: of a long text, few are. */
class Piece implements Unit {
  constructor(
    private readonly tokens: readonly string[],
    private readonly style: Style,
    readonly first: number,
    readonly end: number,
    private readonly next?: string, // that it predicts
    private readonly nextStyle = style,
  ) {}
  private get parts(): readonly string[] {
    return this.tokens.slice(this.first, this.end);
  }
  get special(): boolean {
    return this.end - this.first === 1 && isSpecial(this.tokens[this.first] as string);
  }
  get title(): string {
    return this.parts.join(" ");
  }
  get label(): string {
    const { tokens, style, first, end, next } = this;
    const own = end - first === 1 ? labelAt(tokens, first, style) : joinTokens(this.parts, style) || "␣";
    return next === undefined ? own : `${own} → ${tokenLabel(next, this.nextStyle)}`;
  }
}
