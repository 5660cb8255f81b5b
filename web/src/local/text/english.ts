/** Where English sentences end, by the rules of the package that Python splits with (sentencex): its lists of words are
 * in english.json. A stop ends a sentence but behind an abbreviation, before what goes on, and inside of quotation marks
 * or brackets. */
import facts from "./english.json";

const listed = (words: string) => new Set(words.split(" "));
const ABBREVIATIONS = listed(facts.abbreviations);
const OPENERS = listed(facts.openers); // begin a sentence even behind an abbreviation
const LEADS = listed(facts.leads); // of a phrase before a sentence's subject: "At 7 p.m. Tom left."
const UNITS = Object.entries(facts.units);
const NAMES = listed("Yahoo Yum"); // are written with an exclamation mark

const STOPS = "!.?։؝؞؟۔܀܁܂߹।॥၊။።፧፨᙮᠃᠉‼‽⁇⁈⁉⸮⸼꓿﹒﹖﹗！．？。｡";
const RUN = new RegExp(`\\.(?:[ \\t]+\\.){2,}|[!?…](?:[ \\t]+[!?…])+|[${STOPS}]+`, "g");
const EMPHATIC = /[!?…]$/;
const DOTS = /^\.[. \t]*$/;
const CONTINUED = /^[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]*[0-9a-z]/u;
const NEAR = 30; // letters that are looked at behind a stop
const FAR = 500; // and before it

/** Quotation marks that open and close; the longer first. */
const PAIRS: [string, string][] = [["``", "''"], ["''", "''"], ['"', '"'], ["«", "»"], ["»", "«"], ["‘", "’"], ["‚", "‚"], ["“", "”"], ["‛", "‛"], ["„", "“"], ["‟", "‟"], ["‹", "›"], ["《", "》"], ["「", "」"], ["'", "'"], ["`", "'"], ["`", "`"]];
const SAME = PAIRS.filter(([open, close]) => open === close).map(([mark]) => mark);
const CLOSERS = [...new Set(PAIRS.map(([, close]) => close))].sort((one, other) => other.length - one.length);
const APOSTROPHES = ["'", "`"];
const WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}]";
const QUOTATION = new RegExp(PAIRS.map(([open, close]) => (APOSTROPHES.includes(open) ? `(?<!${WORD})${open}(?=${WORD})[^]*?[^\\s]${close}(?!${WORD})` : `${open}[^]*?${close}`)).join("|"), "gu");
const BRACKETS = /[(（<{[](?:[^)\]}>）]|\\[)\]}>）])*[)\]}>）]/g;
const ADDRESS = /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Z|a-z]{2,7}/g;

/** A stretch in which no sentence ends. */
interface Quiet {
  first: number;
  end: number;
  mark: string; // that closes it; of no quotation: empty
  doubt: "" | "some" | "sure"; // that the two marks belong together
}

/** The ends of the sentences of a text in one line but for the last. */
export function englishEnds(text: string): number[] {
  const items = itemsOf(text);
  const quiet = [...items.map((first, i) => ({ first, end: items[i + 1] ?? text.length, mark: "", doubt: "" as const })), ...quietOf(text)].sort((one, other) => one.first - other.first);
  const ends: number[] = [];
  const add = (end: number) => void (end > (ends.at(-1) ?? 0) && end < text.length && ends.push(end));
  for (const [first, last] of runs(text)) {
    const end = endOf(text, first, last);
    if (end === null) continue;
    const inside = quiet.find((each) => each.first < end && end < each.end && !(each.doubt === "sure" || (each.doubt === "some" && isStrong(text, first, last))));
    if (!inside) add(behindCloser(text, end, quiet));
    else if (inside.mark && end + inside.mark.length === inside.end) {
      const next = text.slice(inside.end, inside.end + NEAR);
      if (!goesOn(next.trim()) && !CONTINUED.test(next)) add(inside.end + (new RegExp(`^[\\s${STOPS}]*`).exec(next) as RegExpExecArray)[0].length);
    }
  }
  return [...new Set([...ends, ...items])].filter(Boolean).sort((one, other) => one - other);
}

/** Marks of a list's items by their kind, the first of which is one even if it is alone. */
const ITEMS = [/[•◦▪▫■□●○⁃⁌⁍◆◇★☆➤➢➣▶▸►]|\((?:\d{1,2}|[A-Za-z]|[IVXLCDMivxlcdm]+)\)/y, /[ivxlcdm]{2,}(?:\.\)|[.)])/iy, /\d+(?:\.\)|[.)])/y, /[*+-]/y, /[A-Za-z]\.?\)/y, /[a-z]\./y];
const APART = 4; // letters between two items, at least
const NUMERAL = /[ivxlcdm]/i;

/** Where the items of a list within a line begin, each of which is one sentence. */
function itemsOf(text: string): number[] {
  let found: { at: number; kind: number }[] = [];
  for (const { index, 0: gap } of text.matchAll(/(?:^|[ \t]+)(?=\S)/g)) {
    const at = index + gap.length;
    const kind = ITEMS.findIndex((item) => ((item.lastIndex = at), item.test(text)));
    if (kind < 0) continue;
    const end = (ITEMS[kind] as RegExp).lastIndex;
    const next = /^[ \t]+(\S)/.exec(text.slice(end, end + NEAR))?.[1];
    const plain = kind === 3 || (kind > 0 && text[end - 1] === "."); // inside a line it is no item
    if (next && (index === 0 || !(plain || /\p{Ll}/u.test(next)))) found.push({ at: index === 0 ? 0 : at, kind });
  }
  if (found.some(({ kind }) => kind === 1)) found = found.map((each) => (each.kind > 3 && NUMERAL.test(text[each.at] as string) ? { ...each, kind: 1 } : each));
  const kinds = ITEMS.map((_, kind) => found.filter((each) => each.kind === kind).reduce<number[]>((places, { at }) => (at - (places.at(-1) ?? -APART) < APART ? places : [...places, at]), []));
  if (kinds[0]?.length === 1 && kinds[0][0] === 0) return [0];
  const [best] = [kinds[0] as number[], ...kinds.slice(1).sort((one, other) => other.length - one.length || (one[0] ?? 0) - (other[0] ?? 0))].filter((places) => places.length > 1);
  return best ?? [];
}

/** Runs of stops; dots that follow a mark apart are of its. */
function runs(text: string): [number, number][] {
  const all: [number, number][] = [];
  for (const { index, 0: run } of text.matchAll(RUN)) {
    const last = all.at(-1);
    const gap = last ? text.slice(last[1], index) : "";
    if (last && EMPHATIC.test(text.slice(...last)) && DOTS.test(run) && /^[ \t]+$/.test(gap)) last[1] = index + run.length;
    else all.push([index, index + run.length]);
  }
  return all;
}

/** Where the sentence of a stop ends; null: it goes on. */
function endOf(text: string, first: number, last: number): number | null {
  const [head, run, next] = [text.slice(Math.max(first - FAR, 0), first), text.slice(first, last), text.slice(last, last + NEAR)];
  const reference = /^(?:\s*\[\d+\])+/.exec(next);
  if (reference) return last + reference[0].length;
  const before = head.slice(-1);
  if ([...run].length > 1) {
    if (/^\s+(?:[0-9a-z]|I(?:[\s'’]|$))/.test(next) || (before.trim() && /^[0-9a-z]/.test(next))) return null;
  } else if (goesOn(next) || (/[!?]/.test(run) && /[ \t]/.test(before) && CONTINUED.test(next))) return null;
  if (run === "." && ((/\d/.test(before) && /^\p{L}[\p{L}\p{N}]*?\d/u.test(next)) || isShort(head, next))) return null; // 7.Bg5
  if (NAMES.has(lastWord(head))) return null;
  return last + (/^\s*/.exec(next) as RegExpExecArray)[0].length;
}

function goesOn(next: string): boolean {
  if (/^[0-9a-z]/.test(next)) return true;
  const peeled = next.trimStart();
  const mark = SAME.find((each) => peeled.startsWith(each)) ?? "";
  return peeled.slice(mark.length).trimStart().startsWith(",");
}

const lastWord = (text: string) => text.trimEnd().split(/[\s./]/).at(-1) as string;
const lastWhole = (text: string) => text.trimEnd().split(/[\s/]/).at(-1) as string; // with its points
const isAbbreviation = (word: string) => ABBREVIATIONS.has(word.toLowerCase());

/** True if a point stands behind an abbreviation, and not at the end of a sentence as well. */
function isShort(head: string, next: string): boolean {
  const word = lastWord(head);
  const unit = unitOf(head.trimEnd());
  const initial = /^[A-Z]$/.test(word) && (/^[A-Z]/.test(lastWord(head.slice(0, head.trimEnd().length - 1).replace(/[\s./]+$/, ""))) || /^\s*[A-Z]\.(?:\s|$)/.test(next));
  if (!unit && !initial && !(word && isAbbreviation(word))) return false;
  const opens = isOpener(next);
  if (unit && endsUnit(unit, next.trimStart(), opens)) return false;
  const whole = lastWhole(head);
  const several = whole.length > word.length && isAbbreviation(whole);
  return !(opens && (/^[A-Z]/.test(word) || several || (word.length > 1 && ABBREVIATIONS.has(word))));
}

function isOpener(next: string): boolean {
  return OPENERS.has((new RegExp(`^\\s*([^\\s,${STOPS}]*)`).exec(next) as RegExpExecArray)[1] as string);
}

interface Behind {
  prefix: string;
  numbers: boolean;
}

/** A unit or a time that the text ends with: "7 p.m". */
function unitOf(head: string): Behind | null {
  for (const [unit, how] of UNITS) {
    if (!(how.includes("s") ? head : head.toLowerCase()).endsWith(unit)) continue;
    const prefix = head.slice(0, head.length - unit.length);
    if (how.includes("d") ? /\d\s*$/.test(prefix) : /(?:^|[\s\d])$/.test(prefix)) return { prefix, numbers: how.includes("n") };
  }
  return null;
}

function endsUnit({ prefix, numbers }: Behind, next: string, opens: boolean): boolean {
  if (/^[A-Z]\./.test(next)) return false;
  if (/^\d/.test(next)) return numbers;
  if (!/^\p{Lu}/u.test(next)) return false;
  const before = prefix.replace(/[\d:\s]+$/, "").split(/\s/).at(-1) as string;
  return opens || !(/^[A-Z]/.test(before) || isLead(prefix));
}

/** True if a text has only what leads to a sentence's subject. */
function isLead(prefix: string): boolean {
  return prefix.replace(QUOTATION, " ").split(/[\s,;—–]/).every((token) => {
    const bare = token.replace(/\.+$/, "");
    return /^[\d:]*$/.test(bare) || /^\p{Lu}/u.test(bare) || LEADS.has(bare.toLowerCase()) || isAbbreviation(bare);
  });
}

/** True if a point behind a closing mark ends a sentence whatever quotation it seems to be in. */
function isStrong(text: string, first: number, last: number): boolean {
  const next = text.slice(last, last + NEAR).trimStart();
  const head = text.slice(Math.max(first - FAR, 0), first);
  const word = lastWord(head);
  if (text.slice(first, last) !== "." || !/^[A-Z]/.test(next) || !word || /^[A-Z]$/.test(word) || isAbbreviation(word)) return false;
  const whole = lastWhole(head);
  if (whole.length > word.length && isAbbreviation(whole)) return false;
  return SAME.includes(word) || isOpener(next);
}

function quietOf(text: string): Quiet[] {
  const quotes = [...text.matchAll(QUOTATION)].map(({ index, 0: all }) => {
    const [, mark] = PAIRS.find(([open]) => all.startsWith(open)) as [string, string];
    return { first: index, end: index + all.length, mark };
  });
  for (const mark of APOSTROPHES) quotes.push(...apart(text, mark, quotes));
  const brackets = [...text.matchAll(BRACKETS)].map(({ index, 0: all }) => ({ first: index, end: index + all.length, mark: "", doubt: "" as const }));
  const addresses = [...text.matchAll(ADDRESS)].map(({ index, 0: all }) => ({ first: index, end: index + all.length, mark: "", doubt: "" as const }));
  const tagged = quotes.map((quote): Quiet => {
    if (!SAME.includes(quote.mark) || !text.startsWith(quote.mark, quote.first)) return { ...quote, doubt: "" };
    const crosses = brackets.some(({ first, end }) => (quote.first < first && first < quote.end && quote.end < end) || (first < quote.first && quote.first < end && end < quote.end));
    return { ...quote, doubt: crosses ? "sure" : text.split(quote.mark).length % 2 === 0 ? "some" : "" };
  });
  return [...tagged, ...brackets, ...addresses].sort((one, other) => one.first - other.first);
}

type Quote = Omit<Quiet, "doubt">;

/** Marks that could open or close: not of a contraction, nor of a quotation. */
function loose(text: string, mark: string, quotes: readonly Quote[]): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    const between = /[\p{L}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{N}]/u.test(text.slice(at + mark.length));
    if (!between && !quotes.some(({ first, end, mark: closes }) => closes && first <= at && at < end)) places.push(at);
  }
  return places;
}

const isUtterance = (text: string) => /^[ \t]+[A-Z]/.test(text);

/** Quotations in apostrophes with spaces inside of them. */
function apart(text: string, mark: string, quotes: readonly Quote[]): Quote[] {
  const found: Quote[] = [];
  const opens = (at: number) => !text.slice(0, at).slice(-1).trim() && /^\s/.test(text.slice(at + 1));
  const ends = (first: number, last: number) => /\.[ \t]+[A-Z]/.test(text.slice(first, last));
  let open = -1;
  const places = loose(text, mark, quotes);
  places.forEach((at, i) => {
    const next = places[i + 1];
    const two = open >= 0 && isUtterance(text.slice(at + 1)) && ends(open + 1, at);
    if (open >= 0 && opens(open) && !(two && opens(at) && next !== undefined && !ends(at + 1, next))) {
      found.push({ first: open, end: at + 1, mark });
      open = -1;
    } else open = at;
  });
  return found;
}

/** An end, behind a closing mark that no other opened: it is of the sentence before it. */
function behindCloser(text: string, end: number, quiet: readonly Quiet[]): number {
  if (quiet.some(({ first }) => first === end)) return end;
  const closer = CLOSERS.find((mark) => text.startsWith(mark, end) && isOrphan(text, end, mark, quiet));
  if (!closer) return end;
  const opensNext = SAME.includes(closer) && !text.slice(0, end).slice(-1).trim() && isUtterance(text.slice(end + closer.length));
  if (opensNext && quiet.some((each) => each.end <= end && each.mark === closer && text.startsWith(closer, each.first))) return end;
  return end + closer.length + (new RegExp(`^(?:\\s*(?:${RUN.source}))*\\s*`).exec(text.slice(end + closer.length)) as RegExpExecArray)[0].length;
}

function isOrphan(text: string, end: number, mark: string, quiet: readonly Quiet[]): boolean {
  if (!SAME.includes(mark)) return true;
  const all = loose(text, mark, quiet);
  const before = all.filter((at) => at < end).length;
  return before % 2 === 1 || (before === 0 && all.length === 1);
}
