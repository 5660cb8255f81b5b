/** The places of what stays in a sentence: what stands for it, and where it comes in a translation; `regard.translation.placing` says the same. */
import type { Slice } from "./markup";
import { escaped, inClass, pattern, rules } from "./rules";

const EDGE = `(?:(?!${rules.sign}|[${inClass(rules.ordinary)}])\\S)`;
const WORD = new RegExp(`${EDGE}(?:\\S*${EDGE})?`, "gu"); // with its vowel signs, without punctuation around it
const LETTER = pattern(`[${rules.boundary}]`);
const ALIKE = (rules.alike as [string, string, string][]).map(([sign, others, rule]) => ({ sign, others, shape: new RegExp(pattern(rule), "gu") }));
const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** A text with signs that the model copies in place of those like them. */
export function readSigns(text: string, copied: string): string {
  let read = text;
  for (const { sign, others } of ALIKE) for (const other of others) if (!copied.includes(other)) read = read.replaceAll(other, sign);
  return read;
}

/** A translation with the quotation marks and dashes of its source, in their order. */
export function writtenSigns(answer: string, source: string): string {
  for (const { sign, shape } of ALIKE) {
    const signs = source.match(shape) ?? [];
    if (signs.some((each) => each !== sign)) answer = answer.replace(shape, (own) => signs.shift() ?? own);
  }
  return answer;
}

/** A slice of a translation, and what comes in its place. */
export interface Edit {
  begin: number;
  end: number;
  text: string;
  span: Slice;
}

/** A text with its edits; null where two cross: a mark closes what is around it first. */
export function edited(whole: string, edits: readonly Edit[]): string | null {
  let [text, place] = ["", 0];
  const opened: Edit[] = [];
  const here = (pair: number) => edits.filter(({ span }) => span.pair === pair).length;
  for (const edit of [...edits].sort((one, other) => one.begin - other.begin)) {
    const { begin, end, text: own, span } = edit;
    if (begin < place) return null;
    if (span.pair === span.begin) opened.push(edit);
    else if (span.pair >= 0) {
      const first = opened.pop();
      if (!first !== (here(span.pair) === 1)) return null;
      if (first && (first.span.begin !== span.pair || first.begin === begin)) return null;
    }
    text += whole.slice(place, begin) + own;
    place = end;
  }
  return text + whole.slice(place);
}

export type Place = [number, number];

/** The place of words that a text has once. */
export function only(words: string, text: string): Place | null {
  if (!words) return null;
  const [first, more] = [...text.matchAll(new RegExp(`(?<!${LETTER})${escaped(words)}(?!${LETTER})`, "giu"))];
  return first && !more ? [first.index, first.index + first[0].length] : null;
}

export const wordsOf = (text: string): string[] => text.match(WORD) ?? [];

/** The place of the word that is about this far in a text, not before another place. */
export function wordNear(text: string, share: number, least: number): Place {
  WORD.lastIndex = least;
  let best: Place = [text.length, text.length];
  let apart = Infinity;
  for (let match; (match = WORD.exec(text)); ) {
    const far = Math.abs(match.index - share * text.length);
    if (far < apart) [best, apart] = [[match.index, match.index + match[0].length], far];
  }
  return best;
}

/** Where a mark without a partner comes: beside the word that it is at, if the translation has it; else about as far in the sentence as before. */
export function beside(span: Slice, text: string, [left, right]: readonly [string, string], whole: string, share: number, least: number): Edit {
  const sign = text.slice(span.begin, span.end);
  const [before, after] = [text[span.begin - 1], text[span.end]];
  const isSpace = (letter: string | undefined) => letter !== undefined && !letter.trim();
  const leads = (isSpace(before) && isSpace(after)) || (!isWord(before) && isWord(after));
  const [one, other] = [only(left, whole), only(right, whole)];
  const near = () => wordNear(whole, share, least);
  if (leads && (other || !one)) {
    const [at] = other ?? near();
    return { begin: at, end: at, text: sign + (isSpace(after) ? " " : ""), span };
  }
  const [, at] = one ?? near();
  return { begin: at, end: at, text: (isSpace(before) ? " " : "") + sign, span };
}
