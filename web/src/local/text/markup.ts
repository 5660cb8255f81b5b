/** Parts of a text that no model translates: markup, addresses, code, placeholders, numbers, signs; `regard.tasks.translation.spans` says the same. */
import { inClass, NONE, oneOf, pattern, rules } from "./rules";

export type Kind = "text" | "word" | "number" | "mark" | "sign" | "break";

/** A slice of a text. */
export interface Slice {
  begin: number;
  end: number;
  kind: Kind;
  pair: number; // of a mark with a partner: the beginning of the first of the two; else -1
}

export const slice = (begin: number, end: number, kind: Kind = "text", pair = -1): Slice => ({ begin, end, kind, pair });

const KINDS: Record<string, Kind> = { word: "word", number: "number", break: "break", sign: "sign", joined: "word", amount: "number", foreign: "word" };
const LAYOUT = new RegExp(`^(?:${pattern(rules.layout)})$`, "iu");
const [BEFORE, DEFINITION, FENCE] = [rules.before, rules.definition, rules.fence].map((rule) => new RegExp(`^(?:${pattern(rule)})`, "u")) as [RegExp, RegExp, RegExp];
const HIDDEN = new RegExp(pattern(rules.hidden), "iu");
const LINE = /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|$)/g;

const made = new Map<string, RegExp>();

/** The spans of a text; `copied`: the signs that a model copies, `letters`: those of its language beyond ASCII; null where they are not known. */
function spansPattern(copied: string | null, letters: string | null): RegExp {
  const key = JSON.stringify([copied, letters]);
  const known = made.get(key);
  if (known) return known;
  const { signs, ordinary, inner } = rules;
  const of = (rule: string | string[]) => (copied === null ? NONE : rule);
  const strict = [...new Set(copied ?? "")].filter((sign) => !ordinary.includes(sign)).sort();
  const usual = (copied ?? "") + ordinary;
  const alike = rules.alike.flatMap(([signs = "", others = ""]) => (usual.includes(signs[0] as string) ? others : "")).join("");
  const parts = {
    SIGN: `(?:(?!{{MARKUP}}|[${inClass(usual + alike)}])${rules.sign})`,
    SIGNS: rules.sign,
    LETTERS: oneOf(letters ?? ""),
    STRICT: oneOf(strict.join("")),
    ORDINARY: inClass(ordinary),
    INNER: inClass(inner),
  };
  const groups: Record<string, string | string[]> = {
    word: rules.words, joined: of(signs.word), amount: of(signs.number), number: rules.numbers, mark: rules.marks, tag: rules.tag,
    link: rules.link, target: rules.target, emphasis: rules.emphasis, break: "\\|", symbol: of(signs.mark),
    foreign: letters === null ? NONE : rules.foreign, sign: of(signs.sign),
  };
  const all = new RegExp(Object.entries(groups).map(([name, rule]) => `(?<${name}>${pattern(rule, parts)})`).join("|"), "gu");
  made.set(key, all);
  return all;
}

/** The beginning and the end of each line with a text, behind the signs of a list or a heading; of several lines where a sentence goes on in the next. */
export function lines(text: string): [number, number][] {
  const found: [number, number][] = [];
  const all = (text.match(LINE) ?? []).filter(Boolean);
  let [place, begin, closing] = [0, -1, ""];
  all.forEach((line, i) => {
    const end = place + line.length;
    const opening = closing ? null : (FENCE.exec(line) ?? HIDDEN.exec(line));
    if (closing) closing = line.toLowerCase().includes(closing) ? "" : closing;
    else if (opening) {
      const ends = closingOf(opening);
      closing = line.slice(opening.index + opening[0].length).toLowerCase().includes(ends) ? "" : ends;
    } else if (begin < 0 && line.trim() && !DEFINITION.test(line)) begin = place + (BEFORE.exec(line) as RegExpExecArray)[0].length;
    if (begin >= 0 && !goesOn(line, all[i + 1] ?? "")) {
      found.push([Math.min(begin, end), end]);
      begin = -1;
    }
    place = end;
  });
  return found;
}

/** The end of a block of code, or of HTML that is not to be read. */
function closingOf(opening: RegExpExecArray): string {
  const sign = (opening.slice(1).filter((group) => group !== undefined).at(-1) ?? opening[0]).toLowerCase();
  return /^\p{L}+$/u.test(sign) ? `</${sign}>` : sign === "<!--" ? "-->" : sign;
}

/** True if a sentence is wrapped between the two lines. */
function goesOn(line: string, following: string): boolean {
  const [one, next] = [line.trimEnd(), following.trimStart()];
  return one.length >= rules.wrapped && ![...rules.ended].some((end) => one.endsWith(end)) && /^\p{Lowercase}/u.test(next) && !HIDDEN.test(next);
}

/** The spans of a line in order, and what is text between them. */
export function spans(text: string, begin: number, end: number, copied: string | null, letters: string | null): Slice[] {
  const line: Slice[] = [];
  const opened: [string, number][] = []; // signs that may close, and their places
  const isOpen = (sign: string) => opened.some(([other]) => sign === other);
  const isRow = text.slice(begin, end).trimStart().startsWith("|");
  const until = text.slice(0, end);
  const all = spansPattern(copied, letters);
  all.lastIndex = begin;
  let place = begin;
  for (let match; (match = all.exec(until)); ) {
    const [whole] = match;
    const groups = match.groups as Record<string, string | undefined>;
    let kind = Object.keys(groups).find((name) => groups[name] !== undefined) as string;
    if (kind === "break" && !isRow) {
      if (copied === null || copied.includes("|")) continue;
      kind = "symbol";
    }
    if (kind === "target" && !isOpen("[")) continue;
    if (place < match.index) line.push(slice(place, match.index));
    place = match.index + whole.length;
    const span = slice(match.index, place, KINDS[kind] ?? "mark");
    line.push(span);
    if (kind === "tag" && LAYOUT.test(nameOf(whole))) span.kind = "break";
    else if (["tag", "link", "target", "emphasis"].includes(kind)) {
      const sign = kind === "tag" ? nameOf(whole) : kind === "emphasis" ? whole : "[";
      if ((kind === "emphasis" || /^(?:<\/|\])/.test(whole)) && isOpen(sign)) {
        let last: [string, number];
        do last = opened.pop() as [string, number];
        while (last[0] !== sign);
        const first = line[last[1]] as Slice;
        first.pair = span.pair = first.begin;
      } else if (!whole.startsWith("</") && !whole.endsWith("/>")) opened.push([sign, line.length - 1]);
    }
  }
  for (const [sign, number] of opened) if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(sign)) (line[number] as Slice).kind = "word"; // no markup, but something to be filled in
  if (place < end) line.push(slice(place, end));
  return line;
}

const nameOf = (tag: string) => /[A-Za-z][A-Za-z0-9-]*/.exec(tag)?.[0].toLowerCase() ?? "";
