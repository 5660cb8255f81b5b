/** A text as passages, each to be translated by itself: its sentences, without what stays as it is; `regard.tasks.translation.passages` says the same. */
import { caseOf, readCase, spelled, writtenCase, type Case } from "./capitals";
import { unescaped } from "./entities";
import { lines, slice, spans, type Slice } from "./markup";
import { alike, beside, ENDED, edited, only, places, readSigns, signsLike, wordNear, wordsOf, wrapped, writtenSigns, type Edit } from "./placing";
import { rules } from "./rules";
import { core, cut, endsOf, trimmed } from "./runs";

/** How a model reads and writes what it has not learned. */
export interface Reading {
  language: string; // of its source
  copied: string | null; // signs that it copies; null: it is not known, and all are left to it
  letters: string | null; // of its language beyond ASCII; null: they are not known, and all are left to it
  pieces: (word: string) => number; // of a word in the source's vocabulary
}

const { stand_ins: STAND_INS, instead: INSTEAD } = rules as { stand_ins: Record<string, string[]>; instead: Record<string, Record<string, string>> };
const CLOSING = /^[.,;:!?…)]/;
const ENTITY = /^&#?[\p{L}\p{N}_]+;$/u;
const UNIT = new RegExp(rules.kept_unit, "u");
const GENITIVE = /^['’]s(?![\p{L}\p{N}_])/u;
const NO_WORD = "(?![\\p{L}\\p{N}_])";
/** Where a sentence can be parted, the best places first; and where it has no clauses. */
const CLAUSES = [/(?<=[;:।])\s+|\s+(?=[–—]\s)/gu, new RegExp(`(?<=,)\\s+(?=(?:and|but|or|so|because|which|who|while|und|aber|oder|denn|weil|dass|और|लेकिन|कि)${NO_WORD})`, "gu"), /(?<=,)\s+/gu];
const ANYWHERE = [new RegExp(`\\s+(?=(?:and|but|or|that|which|who|und|aber|oder|और|कि)${NO_WORD})`, "gu"), /\s+/gu];

export interface Translated {
  text: string;
  read: string; // what the model would have written, with its stand-ins
  whole: boolean; // it is of the whole, not put together from the parts
}

/** A sentence of a text, or a part of one that is too long to be translated at once. */
export class Passage {
  private readonly case: Case;
  readonly standIns: ReadonlyMap<Slice, string>; // the word that the model reads for each span to be kept; a mark is left out
  readonly fragments: Slice[]; // the parts to translate between the others, without punctuation around them
  readonly units: string[]; // texts that a model translates for it: the whole, and fragments if anything stays

  constructor(readonly text: string, readonly spans: readonly Slice[], private readonly reading: Reading, readonly isLong = false) {
    this.case = caseOf(spans.filter(({ kind }) => kind === "text").map((span) => this.of(span)).join(" "), reading.language);
    this.standIns = this.standing();
    this.fragments = spans.filter(({ kind }) => kind === "text").map((span) => trimmed(text, this.bare(span), "PSZCM", span === spans.at(-1) ? "ZC" : "PSZC")).filter((span) => /\p{L}/u.test(this.of(span)));
    let [whole, part] = ["", "a"];
    spans.forEach((span, i) => {
      const isApart = !part;
      part = this.standIns.get(span) ?? this.cased(span, i === 0);
      whole = (isApart && CLOSING.test(part) ? whole.trimEnd() : whole) + part; // from its word, by what was left out
    });
    whole = spelled(this.signed(whole), reading.language);
    this.units = this.standIns.size ? [whole, ...this.fragments.map((span, i) => this.signed(this.cased(span, i === 0)))] : [whole];
  }

  get begin(): number {
    return (this.spans[0] as Slice).begin;
  }

  get end(): number {
    return (this.spans.at(-1) as Slice).end;
  }

  get source(): string {
    return this.text.slice(this.begin, this.end);
  }

  private standing(): Map<Slice, string> {
    const others = this.spans.filter(({ kind }) => kind !== "text" && kind !== "sign");
    const free = new Map(Object.entries(STAND_INS).map(([kind, words]) => [kind, words.filter((each) => !this.source.includes(each))]));
    return new Map(others.map((span) => {
      const own = this.of(span);
      const unit = span.kind === "number" ? (UNIT.exec(own)?.[0] ?? "") : "";
      return [span, ENTITY.test(own) ? unescaped(own) : (free.get(span.kind)?.shift() ?? INSTEAD[own]?.[this.reading.language] ?? "") + unit];
    }));
  }

  asLong(): Passage {
    return new Passage(this.text, this.spans, this.reading, true);
  }

  translated(all: readonly string[]): Translated {
    const [first = "", ...answers] = all.map((answer) => this.written(answer));
    const text = this.ofWhole(first, answers);
    if (text !== null) return { text: wrapped(this.source, alike(this.source, text)), read: all[0] as string, whole: true };
    return { text: this.ofFragments(answers, (span) => this.of(span)), read: this.ofFragments(all.slice(1), (span) => this.standIns.get(span) ?? this.of(span)), whole: false };
  }

  /** What stands in the text, by the word in its place. */
  get restorations(): [string, string][] {
    return [...this.standIns].map(([span, word]): [string, string] => [word, this.of(span)]).filter(([word, own]) => word && !Object.hasOwn(INSTEAD, own));
  }

  private of({ begin, end }: Slice): string {
    return this.text.slice(begin, end);
  }

  /** A model's answer in the case and with the signs of the source. */
  private written(answer: string): string {
    const cased = this.case ? writtenCase(answer, this.source, this.case) : answer;
    return this.reading.copied === null ? cased : writtenSigns(cased, this.source);
  }

  /** A span in the letters that the model reads. */
  private cased(span: Slice, begins: boolean): string {
    return readCase(this.of(span), this.case, this.reading.language, this.reading.pieces, begins);
  }

  /** A text with the signs that the model reads. */
  private signed(text: string): string {
    const { copied, letters } = this.reading;
    return copied === null ? text : readSigns(text, copied, letters ?? "");
  }

  /** The translations of the fragments, with what `of` gives for the other spans. */
  private ofFragments(answers: readonly string[], of: (span: Slice) => string): string {
    let [text, next] = ["", 0];
    for (const span of this.spans) {
      const fragment = this.fragments[next];
      if (!fragment || !(span.begin <= fragment.begin && fragment.end <= span.end)) text += of(span);
      else {
        const source = this.of(fragment);
        text += this.text.slice(span.begin, fragment.begin) + wrapped(source, alike(source, answers[next++] ?? "")) + this.text.slice(fragment.end, span.end);
      }
    }
    return text;
  }

  /** The translation of the whole with all that stays; null where a word is lost. What is marked is where its own translation is, else about as far in the sentence as before. */
  private ofWhole(whole: string, answers: readonly string[]): string | null {
    const edits: Edit[] = [];
    let [at, opened] = [0, 0]; // how far the spans so far go in the unit; where the last mark was put
    for (const [number, span] of this.spans.entries()) {
      const standIn = this.standIns.get(span) ?? this.of(span);
      const share = at / (this.units[0] as string).length;
      at += standIn.length;
      if (span.kind in STAND_INS) {
        const edit = this.restoration(span, whole);
        if (!edit) return null;
        edits.push(edit);
      } else if (span.kind === "mark" && span.pair >= 0) {
        const begins = span.pair === span.begin;
        const inward = begins ? this.spans.slice(number + 1) : this.spans.slice(0, number).reverse();
        const inside = inward.find(({ kind }) => kind !== "mark") ?? span;
        const near = only(this.standIns.get(inside) || this.marked(inside, answers), whole) ?? wordNear(whole, share, opened);
        opened = near[begins ? 0 : 1];
        edits.push({ begin: opened, end: opened, text: this.of(span), span });
      } else if (span.kind === "mark" || (span.kind === "sign" && this.isLost(number, whole))) edits.push(this.sign(number, whole, share, opened));
    }
    return edits.length ? edited(whole, edits) : whole;
  }

  /** The place of the word or number that stands for a span; null: it is lost. */
  private restoration(span: Slice, whole: string): Edit | null {
    const [standIn, own] = [this.standIns.get(span) as string, this.of(span)];
    const place = only(standIn, whole);
    if (place) {
      const [begin, end] = place;
      // Translators write a number as an ordinal, which has a point in German.
      const isPoint = span.kind === "number" && whole[end] === "." && this.text[span.end] !== "." && whole.slice(end + 1).trim() !== "";
      return { begin, end: end + Number(isPoint), text: own, span };
    }
    const genitive = GENITIVE.test(this.text.slice(span.end)) ? only(`${standIn}s`, whole) : null;
    return genitive && { begin: genitive[0], end: genitive[1], text: own + (/[sxzß]$/.test(own) ? "’" : "s"), span };
  }

  /** A span without the genitive's 's of what stays before it. */
  private bare(span: Slice): Slice {
    const genitive = span === this.spans[0] ? null : GENITIVE.exec(this.of(span));
    return genitive ? { ...span, begin: span.begin + genitive[0].length } : span;
  }

  private marked(inside: Slice, answers: readonly string[]): string {
    const place = this.fragments.findIndex(({ begin, end }) => inside.begin <= begin && end <= inside.end);
    return place < 0 ? "" : alike(this.of(this.fragments[place] as Slice), answers[place] ?? "");
  }

  /** Where a mark without a partner, or a sign that the model left out, comes. */
  private sign(number: number, whole: string, share: number, least: number): Edit {
    const span = this.spans[number] as Slice;
    const standIn = this.standIns.get(span);
    if (standIn) {
      const before = this.spans.slice(0, number).map((each) => this.standIns.get(each) ?? this.of(each)).join("");
      const rank = places(standIn, before).length;
      for (const word of Object.values(INSTEAD[this.of(span)] ?? { "": standIn })) {
        const place = places(word, whole).slice(0, rank + 1).at(-1);
        if (place) return { begin: place[0], end: place[1], text: this.of(span), span };
      }
    }
    const beyond = (place: number) => (this.spans[place] && this.standIns.get(this.spans[place])) || null;
    const left = beyond(number - 1) ?? wordsOf(this.text.slice(this.begin, span.begin)).at(-1) ?? "";
    const right = beyond(number + 1) ?? wordsOf(this.text.slice(span.end, this.end))[0] ?? "";
    return beside(span, this.text, [left, right], whole, share, least);
  }

  /** True for the last of equal signs of which the translation has fewer; of quotation marks and brackets in pairs, a translator may leave out both. */
  private isLost(number: number, whole: string): boolean {
    const { begin, end } = this.spans[number] as Slice;
    if (rules.paired.includes(this.text.slice(begin, end)) && [...this.source].filter((each) => rules.paired.includes(each)).length % 2 === 0) return false;
    const shape = signsLike(this.source, begin - this.begin, end - this.begin);
    const read = this.spans.filter(({ kind }) => kind === "text" || kind === "sign");
    const kept = [...this.source.matchAll(shape)].map(({ index }) => this.begin + index).filter((at) => read.some((span) => span.begin <= at && at < span.end));
    const after = this.spans.slice(number).filter((span) => span.kind === "sign" && kept.includes(span.begin)).length;
    return (whole.match(shape)?.length ?? 0) <= kept.length - after;
  }

  /** The two parts that it can be parted into, at the best place; null: nowhere. `anywhere`: also between two words that belong together. */
  halves(anywhere: boolean): [Passage, Passage] | null {
    const middle = Math.floor((this.begin + this.end) / 2);
    const least = Math.floor((this.end - this.begin) / 8);
    for (const clause of [...CLAUSES, ...(anywhere ? ANYWHERE : [])]) {
      const places = this.spans.filter(({ kind }) => kind === "text").flatMap(({ begin, end }) => {
        const until = this.text.slice(0, end);
        const found: number[] = [];
        clause.lastIndex = begin;
        for (let match; (match = clause.exec(until)); ) found.push(match.index + match[0].length);
        return found;
      });
      const inside = places.filter((place) => this.begin + least <= place && place <= this.end - least);
      for (const place of inside.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))) {
        const [first, second] = cut(this.spans, [place]).map((part) => passageOf(this.text, part, this.reading, true));
        if (first && second) return [first, second];
      }
    }
    return null;
  }
}

/** The sentences of a text. */
export function passages(text: string, reading: Reading): Passage[] {
  const found: Passage[] = [];
  for (const [begin, end] of lines(text)) {
    let run: Slice[] = [];
    for (const span of [...spans(text, begin, end, reading.copied, reading.letters), slice(end, end, "break")]) {
      if (span.kind !== "break") {
        run.push(span);
        continue;
      }
      for (const part of cut(run, endsOf(text, run, reading.language))) {
        const passage = passageOf(text, part, reading);
        if (passage) found.push(passage);
      }
      run = [];
    }
  }
  return found;
}

/** A text with the translations of its passages in their places. Where one has lost its full stop, another does not follow in the same line without it. */
export function joined(text: string, translations: readonly (readonly [Passage, string])[]): string {
  let [whole, place, stop] = ["", 0, ""];
  for (const [passage, translation] of translations) {
    const between = text.slice(place, passage.begin);
    whole += (between && !between.trim() && !between.includes("\n") ? stop : "") + between + translation;
    const ended = ENDED.exec(passage.source);
    place = passage.end;
    stop = ended && translation && !ENDED.test(translation) ? (ended[1] as string) : "";
  }
  return whole + text.slice(place);
}

/** The passage of a run, without what can stay around it; null: all of it can. */
function passageOf(text: string, run: readonly Slice[], reading: Reading, isLong = false): Passage | null {
  const its = core(text, run);
  const passage = its.length ? new Passage(text, its, reading, isLong) : null;
  return passage?.fragments.length ? passage : null;
}
