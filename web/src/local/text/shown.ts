/** Tokens by the letters of a text that says something else in places than what the model read, as `regard.inspection.shown` has them. */
import { wordSpans, type Span } from "./spans";

const bare = (token: string) => token.replace(/^[▁Ġ]+/, "").replace(/^##/, "").replace(/<\/w>$/, "");
const length = (text: string) => [...text].length;

/** Without cases, of the same length. */
const folded = (text: string) => [...text].map((letter) => (length(letter.toUpperCase()) === 1 ? letter.toUpperCase() : letter)).join("");

/** The words of both are matched in order. A word without a match goes to the tokens at its place, or to the next word if there are no tokens. */
export function spread(tokens: readonly string[], text: string, special: ReadonlySet<string>): string[] {
  const spans = wordSpans(tokens, special);
  const words = spans.map(([first, end]) => tokens.slice(first, end).map(bare).join(""));
  const said = text.split(/\s+/).filter(Boolean);
  const shown = [...tokens];
  for (const [[first, last], [begin, end]] of places(words, said)) {
    const from = (spans[first] as Span)[0];
    const its = tokens.slice(from, (spans[last - 1] as Span)[1]);
    parted(its.map(bare), said.slice(begin, end).join(" ")).forEach((part, i) => {
      const [token, own] = [its[i] as string, bare(its[i] as string)];
      shown[from + i] = own ? token.replace(own, () => part) : token + part;
    });
  }
  return shown;
}

/** Spans of words and what is said there, by the longest common subsequence. */
function places(words: readonly string[], said: readonly string[]): [Span, Span][] {
  const [one, other] = [words.map(folded), said.map(folded)];
  if (!one.length || !other.length) return [];
  const longest = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  const at = (i: number, j: number) => longest[i]?.[j] as number;
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      (longest[i] as Uint16Array)[j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: [Span, Span][] = [];
  const gap = (first: number, last: number, begin: number, end: number) => {
    if (last - first === end - begin) for (let k = 0; k < last - first; k++) found.push([[first + k, first + k + 1], [begin + k, begin + k + 1]]);
    else if (first < last) found.push([[first, last], [begin, end]]);
  };
  let [i, j, first, begin] = [0, 0, 0, 0];
  let match: [Span, Span] | null = null;
  while (i < one.length && j < other.length)
    if (one[i] === other[j]) {
      gap(first, i, begin, j);
      match = [[i, i + 1], [i > first ? j : begin, j + 1]]; // what was inserted before a word stands with it
      found.push(match);
      [i, j] = [first, begin] = [i + 1, j + 1];
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  if (match && first === one.length) found.push([match[0], [match[1][0], other.length]]);
  gap(first, one.length, begin, other.length);
  return found;
}

/** A text in as many parts as there are tokens, of which those at its ends are its. */
function parted(tokens: readonly string[], whole: string): string[] {
  let text = [...whole];
  let [first, last] = [0, tokens.length];
  const parts = tokens.map(() => "");
  for (let at; last > first + 1 && (at = beginOfEnd(text.join(""), tokens[last - 1] as string)) >= 0; ) {
    parts[--last] = text.slice(at).join("");
    text = text.slice(0, at);
  }
  while (first < last - 1 && folded(text.join("")).startsWith(folded(tokens[first] as string))) {
    const own = length(tokens[first] as string);
    parts[first++] = text.slice(0, own).join("");
    text = text.slice(own);
  }
  const inner = tokens.slice(first, last);
  const from = indexOf(text.join(""), inner.join(""));
  const ends = inner.map((_, i) => (from < 0 ? Math.floor((text.length * (i + 1)) / inner.length) : from + length(inner.slice(0, i + 1).join(""))));
  ends[ends.length - 1] = text.length;
  ends.forEach((end, i) => (parts[first + i] = text.slice(i ? ends[i - 1] : 0, end).join("")));
  return parts;
}

/** Where the token is that a text ends with, but for what stands apart; -1: it is not. */
function beginOfEnd(text: string, token: string): number {
  const at = indexOf(text, token, true);
  if (!token || at < 0) return -1;
  const more = [...text].slice(at + length(token)).join("");
  return !more || (/^\s/.test(more) && !/[\p{L}\p{N}]/u.test(token)) ? at : -1;
}

/** The place of a part in letters, in whatever case: the first or the last. */
function indexOf(text: string, part: string, last = false): number {
  const [all, own] = [folded(text), folded(part)];
  const at = last ? all.lastIndexOf(own) : all.indexOf(own);
  return at < 0 ? -1 : length(all.slice(0, at));
}
