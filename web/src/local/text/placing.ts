/** The places of what stays in a sentence: what stands for it, and where it comes in a translation; `regard.tasks.translation.placing` says the same. */
import type { Slice } from "./markup";
import { escaped, inClass, oneOf, pattern, rules } from "./rules";

const EDGE = `(?:(?!${rules.sign}|[${inClass(rules.ordinary)}])\\S)`;
const WORD = new RegExp(`${EDGE}(?:\\S*${EDGE})?`, "gu"); // with its vowel signs, without punctuation around it
const LETTER = pattern(`[${rules.boundary}]`);
const ALIKE = (rules.alike as [string, string, string, string][]).map(([signs, others, shape, run]) => ({ signs, others, shape: new RegExp(pattern(shape), "gu"), run: new RegExp(pattern(run), "gu") }));
const RUN = /[!-\/:;?@]{2}|&|\s-/;
const [SPACED, TIGHT] = [rules.spaced, rules.tight].map((rule) => new RegExp(pattern(rule), "gu")) as [RegExp, RegExp];
const WRAPS = /[^\S\n]*\r?\n\s*/g;
export const ENDED = /([.!?…।])[^\p{L}\p{N}_\s]*$/u;
const ASCII = /^[\x00-\x7f]*$/;
const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** A text with signs that the model copies in place of those like them, a sign in place of its runs, and nothing that is invisible; `letters`: of the language beyond ASCII, which may be joined by what is invisible. */
export function readSigns(text: string, copied: string, letters: string): string {
  let read = text.replace(new RegExp(pattern(rules.invisible, { LETTERS: oneOf(letters) }), "gu"), "");
  if (RUN.test(read))
    for (const { signs, run } of ALIKE)
      if ((copied + rules.ordinary).includes(signs[0] as string)) read = read.replace(run, (own) => [...signs].find((sign) => own.includes(sign)) ?? (signs[0] as string));
  read = read.replace(SPACED, "").replace(TIGHT, " $& ");
  for (const { signs, others } of ALIKE) for (const other of others) if (!copied.includes(other)) read = read.replaceAll(other, signs);
  return read;
}

/** A translation with the quotation marks, the dashes and the runs of a sign of its source, in their order. */
export function writtenSigns(answer: string, source: string): string {
  if (ASCII.test(source) && !RUN.test(source)) return answer;
  for (const { signs, shape } of ALIKE) {
    const order = source.match(shape) ?? [];
    if (order.some((each) => ![...signs].includes(each))) answer = answer.replace(shape, (own) => order.shift() ?? own);
  }
  return answer;
}

/** The shape of a sign of a text, and of those that a translator writes for it. */
export function signsLike(text: string, begin: number, end: number): RegExp {
  const isAt = ({ index, 0: own }: RegExpMatchArray) => index === begin && begin + own.length === end;
  return ALIKE.find(({ shape }) => [...text.matchAll(shape)].some(isAt))?.shape ?? new RegExp(escaped(text.slice(begin, end)), "gu");
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
  const [first, more] = places(words, text);
  return first && !more ? first : null;
}

/** The places of words in a text. */
export function places(words: string, text: string): Place[] {
  if (!words) return [];
  const [before, after] = [`(?<!${LETTER})`, `(?!${LETTER})`]; // a letter; words may begin with a sign
  const alone = `(?:${before}|${after})${spaced(words)}(?:${after}|${before})`;
  return [...text.matchAll(new RegExp(alone, "giu"))].map(({ index, 0: own }) => [index, index + own.length]);
}

/** The expression of some words, with or without a space before a percent sign. */
const spaced = (words: string) => escaped(words).replace(/ ?%/g, "\\s?%");

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

/** The translation of a part of a sentence, which ends as the part does. */
export function alike(source: string, answer: string): string {
  if (ENDED.test(source)) return answer;
  const mark = /[,;:]$/.exec(source)?.[0] ?? "";
  const added = [".", "।", mark, ...["!", "?"].filter((sign) => !source.includes(sign))].join("");
  return answer.replace(new RegExp(`[${added}]+$`), "") + mark;
}

/** A translation with the line ends of its source, at about their places. */
export function wrapped(source: string, answer: string): string {
  for (const { index, 0: wrap } of source.matchAll(WRAPS)) {
    const near = Math.floor((answer.length * index) / source.length);
    const spaces = [...answer].flatMap((letter, place) => (letter === " " ? [place] : []));
    if (!spaces.length) continue;
    const place = spaces.reduce((best, each) => (Math.abs(each - near) < Math.abs(best - near) ? each : best));
    answer = answer.slice(0, place) + wrap + answer.slice(place + 1);
  }
  return answer;
}
