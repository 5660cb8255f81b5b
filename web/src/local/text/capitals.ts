/** Texts in capitals, and titles: read in the letters of a sentence, and written as they came; `regard.tasks.translation.capitals` says the same. */
import { pattern, rules } from "./rules";

export type Case = "" | "upper" | "title";

const { case: cases } = rules;
const WORD = new RegExp(pattern(cases.word), "gu");
const FEWEST = 3; // words of a title; of one in capitals, letters
const isUpper = (text: string) => text !== text.toLowerCase() && text === text.toUpperCase();
const isLower = (text: string) => text !== text.toUpperCase() && text === text.toLowerCase();
const first = (word: string) => String.fromCodePoint(word.codePointAt(0) as number);
const listed = (of: Record<string, string>, language: string) => (of[language] ?? "").split(" ");

/** The case of a sentence that is mostly in capitals, or whose words all begin with one. */
export function caseOf(text: string, language: string): Case {
  if (isLower(text) || isLower([...text].slice(1).join(""))) return "";
  const words = (text.match(WORD) ?? []).filter((word) => word.toLowerCase() !== word.toUpperCase());
  const long = words.filter((word) => word.length > 1);
  const capitals = long.filter(isUpper).length;
  if (4 * capitals >= 3 * long.length && long.join("").length > FEWEST + Number(long.length === 1)) return "upper";
  const small = listed(cases.small, language);
  const begun = words.filter((word) => isUpper(first(word)) && isLower(word.slice(first(word).length))).length;
  const alike = words.slice(1).every((word) => isUpper(first(word)) || small.includes(word));
  return begun >= FEWEST && isUpper(first(words[0] as string)) && alike && !cases.nouns.includes(language) ? "title" : "";
}

/** The number of a word's pieces: less for a piece that was merged earlier, more for small letters of a word that is not frequent, which may be a name. `words`: the frequent ones. */
export function piecesOf(encode: (text: string) => readonly number[], words: string): (word: string) => number {
  const frequent = new Set(words.split(" "));
  return (word) => {
    const ids = encode(word);
    const small = isLower(word);
    const isOdd = words !== "" && small && !frequent.has(word.toLowerCase());
    return ids.length + (isOdd ? 0.5 : 0) + (ids.length === 1 ? (ids[0] as number) / 10_000_000 / (1 + Number(small)) : 0);
  };
}

/** A part of a sentence as the model reads it. `pieces`: of a word in the source's vocabulary; `begins`: the sentence begins with it. */
export function readCase(text: string, of: Case, language: string, pieces: (word: string) => number, begins: boolean): string {
  if (!of) return text;
  const begin = begins ? text.search(WORD) : -1;
  const always = listed(cases.always, language);
  let name = -1; // the end of a name
  return text.replace(WORD, (word, at: number) => {
    const after = text.slice(at + word.length, at + word.length + 2);
    const [small, large] = [word.toLowerCase(), first(word) + word.slice(first(word).length).toLowerCase()];
    if (at === begin || (after.startsWith(".") && after.slice(1).trim())) return large;
    if (always.some((each) => each === word || each === large.split(/['’]/)[0])) return large;
    const forms = at === name + 1 ? [large, word, small] : [word, small, large]; // of a surname all may be of as many pieces; else of an acronym
    const best = forms.filter((form) => of === "upper" || form === word || form === small).reduce((one, form) => (pieces(form) < pieces(one) ? form : one));
    name = best === small ? -1 : at + word.length;
    return best;
  });
}

/** A translation in the case of its source. */
export function writtenCase(answer: string, source: string, of: Case): string {
  if (of === "upper") return answer.toUpperCase();
  if (of !== "title") return answer;
  const longest = Math.max(0, ...(source.match(WORD) ?? []).filter(isLower).map((word) => word.length));
  const begin = Math.max(0, answer.search(WORD));
  return answer.replace(WORD, (word, at: number) => (word.length <= longest && at !== begin ? word : first(word).toUpperCase() + word.slice(first(word).length)));
}

const TYPED = new RegExp(`(?<![\\p{L}\\p{N}_'’/.@#-])${pattern(cases.word)}(?![\\p{L}\\p{N}_'’/@-]|\\.[\\p{L}\\p{N}_])`, "gu");
const DIGIT = /\.\s?\p{Nd}/u;
const ABBREVIATION = /(?<![\p{L}\p{N}_])([\p{L}\p{Nl}\p{No}]{1,6})\.(?=\s?\p{Nd})/gu;

const MEASURE = /(?<=\p{Nd})[ \u00a0\u202f]?([a-z](?:[a-z]{1,3}|\.m))(?:(\.\s*$)|\.|(?![\p{L}\p{N}_]))/giu;

/** A text with the abbreviations that are before or after a number as words, and what people type for others as those. */
export function spelled(text: string, language: string): string {
  const [words, measures, typed] = [rules.spelled, rules.measured, rules.typed].map((of) => (of as Record<string, Record<string, string>>)[language]);
  if (words && DIGIT.test(text)) text = text.replace(ABBREVIATION, (all, word: string) => words[word.toLowerCase()] ?? all);
  if (measures)
    text = text.replace(MEASURE, (all, measure: string, end = "") => {
      const word = measures[measure.toLowerCase()];
      return word ? ` ${word}${end}` : all;
    });
  if (!typed) return text;
  const meant = (word: string) => (Object.hasOwn(typed, word) ? (typed[word] as string) : word);
  return text.replace(TYPED, (word, ...rest) => {
    if (rest.at(-2) !== 0 || !isLower(word.slice(first(word).length))) return meant(word);
    const written = meant(word.toLowerCase());
    if (written === word.toLowerCase()) return word;
    return isUpper(first(word)) ? first(written).toUpperCase() + written.slice(first(written).length) : written;
  });
}
