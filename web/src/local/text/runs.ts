/** Runs of spans: where sentences end in one, and its parts; `regard.tasks.translation.runs` says the same. */
import { englishEnds } from "./english";
import type { Slice } from "./markup";
import { pattern, rules } from "./rules";

/** Abbreviations that end no sentence, and what comes behind them. */
const UNENDED = (rules.unended as [string, string][]).map(([rule, next]) => [new RegExp(pattern(rule), "iu"), new RegExp(`^(?:${pattern(next)})`, "u")] as const);
const ORDINAL = /(?<![\p{L}\p{N}_])(?:d(?:e[rmns]|ie|as)|[ai]m|zu[mr]|vom|beim|(?:früh|spät|[ms]?ein|ihr|unser)e[nrms]?|\p{Nd}{1,2}\.(?:,| und| oder| bis))\s\p{Nd}{1,2}\.\s*$/iu;
const ENDS = ".!?।";

/** Of languages whose rules are not here: by the browser's. */
function otherEnds(text: string, language: string): number[] {
  const ends = [...new Intl.Segmenter(language, { granularity: "sentence" }).segment(text)].map(({ index }) => index);
  return ends.slice(1);
}

/** The places in the text where its sentences end, within a run of spans. */
export function endsOf(text: string, run: readonly Slice[], language: string): number[] {
  let plain = "";
  const starts: [number, Slice][] = [];
  for (const span of run) {
    if (span.kind === "mark") continue;
    starts.push([plain.length, span]);
    const length = span.end - span.begin;
    plain += span.kind === "word" ? `X${"x".repeat(length - 1)}` : span.kind === "number" ? "1".repeat(length) : text.slice(span.begin, span.end).replace(/[\r\n]/g, " ");
  }
  const marks = new Map(run.filter(({ kind }) => kind === "mark").map(({ begin, end }) => [end, begin]));
  return (language === "en" ? englishEnds(plain) : otherEnds(plain, language)).flatMap((total) => {
    const before = plain.slice(Math.max(total - 40, 0), total);
    const isUnended = UNENDED.some(([rule, next]) => rule.test(before) && next.test(plain.slice(total)));
    if (isUnended || (language === "de" && ORDINAL.test(before))) return [];
    const [start, span] = starts.filter(([first]) => first <= total).at(-1) as [number, Slice];
    let end = span.begin + total - start;
    for (let begin; (begin = marks.get(end)) !== undefined && begin > 0 && !(text[begin - 1] as string).trim(); ) end = begin; // what opens the next sentence
    return [end];
  });
}

/** The spans between places; text alone is cut within a span. */
export function cut(run: readonly Slice[], places: readonly number[]): Slice[][] {
  const parts: Slice[][] = [[]];
  let number = 0;
  for (let span of run) {
    for (let place; (place = places[number]) !== undefined && place < span.end; number++) {
      if (span.kind === "text" && span.begin < place) {
        parts.at(-1)?.push({ ...span, end: place });
        span = { ...span, begin: place };
      }
      parts.push([]);
    }
    parts.at(-1)?.push(span);
  }
  return parts;
}

/** A run without what can stay around it. */
export function core(text: string, run: readonly Slice[]): Slice[] {
  const all = [...run];
  let [first, last] = [0, run.length - 1];
  const partners = ({ pair }: Slice) => all.flatMap((each, number) => (pair >= 0 && each.pair === pair && first <= number && number <= last ? [number] : []));
  while (first <= last) {
    for (const number of first === last ? [first] : [first, last]) all[number] = trimmed(text, all[number] as Slice, number === first ? "ZC" : "", number === last ? "ZC" : "");
    const [begins, ends] = [all[first] as Slice, all[last] as Slice];
    if (begins.begin === begins.end || canStay(text, begins, partners(begins).length, "")) first++;
    else if (ends.begin === ends.end || canStay(text, ends, partners(ends).length, ENDS)) last--;
    else if (begins.kind === "mark" && String(partners(begins)) === String([first, last])) [first, last] = [first + 1, last - 1];
    else break;
  }
  return all.slice(first, last + 1);
}

/** True for a mark without a partner, and for a sign by itself that is not to be read. */
function canStay(text: string, { begin, end, kind }: Slice, partners: number, read: string): boolean {
  if (kind !== "sign") return kind === "mark" && partners < 2;
  return !((text[begin - 1] ?? "") + (text[end] ?? "")).trim() && !read.includes(text.slice(begin, end));
}

/** A span of text without letters of these categories at its beginning and end. */
export function trimmed(text: string, span: Slice, before: string, after: string): Slice {
  if (span.kind !== "text") return span;
  const own = text.slice(span.begin, span.end);
  const classOf = (kinds: string) => `[${[...kinds].map((kind) => `\\p{${kind}}`).join("")}]*`;
  const begin = before ? (new RegExp(`^${classOf(before)}`, "u").exec(own) as RegExpExecArray)[0].length : 0;
  const end = after ? (/* the end of all */ own.length - reversed(own.slice(begin), classOf(after))) : own.length;
  return begin || end < own.length ? { ...span, begin: span.begin + begin, end: span.begin + end } : span;
}

/** How many letters at the end of a text are of a class. */
function reversed(text: string, kinds: string): number {
  const one = new RegExp(`^${kinds}$`, "u");
  let length = 0;
  for (const letter of [...text].reverse()) {
    if (!one.test(letter)) break;
    length += letter.length;
  }
  return length;
}

