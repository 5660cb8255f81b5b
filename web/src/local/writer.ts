/** A model that writes, a translator or a language model: a text to what follows, and to everything that the page shows of it. */
import type { AxisInfo, TraceRequest } from "../source";
import type { Decoding, ModelFile } from "./config";
import { Model, ROUNDED, type Run, type Traced, type Tracing, type Whole } from "./model";
import type { Hypothesis, Inputs, Listener, Sampling } from "./native";
import { piecesOf } from "./text/capitals";
import { normalize } from "./text/normalize";
import { quoted, readability, type Readability } from "./text/readable";
import { passages, type Passage, type Translated } from "./text/passages";
import { spread } from "./text/shown";
import { likeliest, readable } from "./trace/ablation";
import { checked, editOf, lookingRows, looksBefore, notesOf, type Changes } from "./trace/off";

const ONE_PASS = "maps are of one pass over the finished hypothesis";
const REMEMBERED = 16; // searches
const TRACED = 20; // tokens that a language model writes, if nothing else is asked

const IN_PARTS = "the translation is put together from those of the parts between what stays: the model lost a word that stands for it";

/** A search that goes on by a step each time, and gives what is there to be shown. */
type Search = Generator<readonly number[], Hypothesis[]>;

/** What is looked at: a text as the model reads it, and of a sentence what is around it in its line. */
interface Looked {
  text: string;
  notes: string[];
  passage: Passage | null;
  around: [string, string];
}

function around(all: readonly Passage[], number: number): [string, string] {
  const { text, begin, end } = all[number] as Passage;
  const before = text.slice(all[number - 1]?.end ?? 0, begin).split("\n").at(-1) as string;
  const after = text.slice(end).split("\n", 1)[0] as string;
  const next = all[number + 1];
  return [before.trimStart(), next && next.begin < end + after.length ? "" : after.trimEnd()];
}

const restored = (text: string, { passage }: Looked) => (passage?.restorations ?? []).reduce((found, [word, own]) => found.replaceAll(word, own), text);

export class Writer extends Model {
  readonly decoding: Decoding;
  /** It has an encoder, which reads the source; else the decoder reads it before what it writes. */
  readonly pairs: boolean;
  private readonly readability: Readability;
  private readonly pieces: (word: string) => number;
  private readonly searches = new Map<string, Hypothesis[]>();

  constructor(file: ModelFile, engine: BufferSource | WebAssembly.Module) {
    super(file, engine);
    this.decoding = file.decoding as Decoding;
    this.pairs = file.config.encoder_layers > 0;
    this.readability = readability(file.info.name, file.reads);
    this.pieces = piecesOf((word) => this.texts.source.encode(word), file.reads?.words ?? "");
  }

  override warm(): void {
    super.warm();
    this.searches.clear(); // its weights are zeros yet
  }

  /** The axis on which it writes. */
  get axis(): string {
    return this.pairs ? "target" : "tokens";
  }

  /** The sentence that is looked at; of a target all of them. */
  private looked({ text, sentence, target }: TraceRequest): Looked {
    const { sentences } = this.file;
    const all = sentences && !(target && !sentence) ? this.passages(text, sentences) : null;
    if (sentences && all && !all.length && text.trim()) this.check(normalize(this.judged(text, sentences)));
    if (all && !all.length && text.trim()) throw new Error(`${quoted(text)} has nothing to translate: it stays as it is.`);
    if (!all?.length) return { text, notes: [], passage: null, around: ["", ""] };
    const number = (sentence ?? 1) - 1;
    const passage = all[number];
    if (!passage) throw new Error(`sentence must be from 1 to ${all.length}, as the text has them; got ${sentence}.`);
    const doubts = this.readability.doubts(sentences ? this.judged(text, sentences) : "");
    const notes = [...(all.length > 1 ? [`sentence ${number + 1} of ${all.length}`] : []), ...doubts, ...passage.restorations.map(([word, own]) => `${word} stands for ${own}`)];
    return { text: passage.units[0] as string, notes, passage, around: around(all, number) };
  }

  /** What is judged of a text: what the model reads of it, and its words of letters of another language. */
  private judged(text: string, sentences: NonNullable<ModelFile["sentences"]>): string {
    return this.passages(text, { ...sentences, letters: null }).map(({ units }) => units[0]).join(" ");
  }

  /** What is translated of a text: its sentences, long ones in parts. */
  private passages(text: string, { language, longest, copied, letters }: NonNullable<ModelFile["sentences"]>): Passage[] {
    const count = (part: string) => this.texts.source.encode(this.file.prefix + normalize(part)).length;
    const short = (passage: Passage): Passage[] => {
      const length = count(passage.units[0] as string);
      const halves = length > longest ? passage.halves(length <= this.most) : null;
      return halves ? halves.flatMap(short) : [length > longest ? passage.asLong() : passage];
    };
    return passages(text, { language, copied, letters, pieces: this.pieces }).flatMap(short);
  }

  /** Ids of a text as the model reads it. */
  encode(text: string, checks = true): number[] {
    const tidy = this.pairs ? normalize(text) : text;
    if (checks) this.check(tidy);
    return this.encoded(tidy, this.most);
  }

  private check(tidy: string): void {
    if (tidy.trim()) this.readability.check(tidy, this.file.reads ? this.texts.source.unknownShare(tidy) : 0);
  }

  /** Tokens that a text may have, those around it not counted. */
  private get most(): number {
    const { before, after, info } = this.file;
    return info.max_tokens - before.length - after.length + Number(this.pairs); // max_tokens leaves one for a translator's end
  }

  /** Tokens that may be written after a source. */
  private room(source: readonly number[]): number {
    return this.file.config.max_positions - (this.pairs ? 1 : source.length);
  }

  /** The hypotheses of a search, best first. */
  private *hypotheses(source: readonly number[], beams?: number, changes: Changes = { without: [], looks: [] }, beginning: readonly number[] = [], sampling: Sampling | null = null, most = this.decoding.max_new_tokens): Search {
    const { decoding } = this;
    const limit = Math.min(most, this.room(source));
    const settings = { ...decoding, num_beams: sampling ? 1 : (beams ?? decoding.num_beams), max_new_tokens: limit };
    const unknown = beginning.find((id) => !(id >= 0 && id < this.model.outputs));
    if (unknown !== undefined) throw new Error(`Token ids must be from 0 to ${this.model.outputs - 1}; got ${unknown}.`);
    if (beginning.length > limit) throw new Error(`An output may begin with ${limit} tokens; got ${beginning.length}.`);
    const edit = editOf(changes, this.taps);
    let first = 0; // position of the token that is read next
    const step = <Answer>(run: () => Answer) => {
      const answer = this.listened(edit, null, first, run);
      first += first || this.pairs ? 1 : source.length;
      return answer;
    };
    const search = this.model.openSearch(source, settings, beginning, sampling, this.pairs);
    try {
      while (!step(() => this.model.runSearch(search))) yield this.model.readSearch(search)[0]?.tokens ?? [];
      const found = this.model.readSearch(search);
      if (!found.length) throw new Error("The search found no text: every token was forbidden at some step.");
      return found;
    } finally {
      this.model.closeSearch(search);
    }
  }

  /** The hypotheses of a search that may have been made already: a look begins where the one before it ended. */
  private *remembered(key: string, make: () => Search): Search {
    const found = this.searches.get(key) ?? (yield* make());
    this.searches.delete(key);
    this.searches.set(key, found);
    for (const oldest of [...this.searches.keys()].slice(0, -REMEMBERED)) this.searches.delete(oldest);
    return found;
  }

  trace(wanted: TraceRequest): Whole {
    const run = this.tracing(wanted);
    for (;;) {
      const { done, value } = run.next();
      if (done) return value;
    }
  }

  override *tracing(wanted: TraceRequest): Tracing {
    const { file, taps } = this;
    const looked = this.looked(wanted);
    const source = this.encode(looked.text);
    const prompt = this.pairs ? 1 : source.length;
    const changes = { without: wanted.without ?? [], looks: wanted.looks ?? [] };
    const parts = checked(changes, { positions: this.pairs ? { source: source.length } : { tokens: file.config.max_positions }, taps });
    const edit = editOf(changes, taps);
    const forced = wanted.forced_beginning ?? [];
    const sampling = this.sampling(wanted);
    const searched = wanted.target === undefined || wanted.target === null;
    const most = this.pairs ? this.decoding.max_new_tokens : (wanted.generate ?? TRACED);
    const writes = !searched || most > 0;
    if (writes && this.room(source) < 1) throw new Error(`A prompt may have ${source.length - 1} tokens with ${file.info.name}, so that something can follow; got ${source.length}. Shorten it.`);
    const written = (looks: string[], begins: readonly number[]) =>
      this.remembered(JSON.stringify([source, wanted.num_beams, changes.without, looks, begins, sampling, most]), () =>
        this.hypotheses(source, wanted.num_beams, { ...changes, looks }, begins, sampling, most));
    let begins: readonly number[] = forced;
    // A look changes what is written from its row on, and nothing before it.
    for (const row of searched && writes ? lookingRows(changes.looks) : [])
      if (row + 1 - prompt > begins.length) begins = ((yield* written(looksBefore(changes.looks, row), begins))[0] as Hypothesis).tokens.slice(0, row + 1 - prompt);
    const none: Hypothesis[] = [{ tokens: [], score: NaN, finished: false }];
    let found = !searched ? [this.given(wanted.target as string, source)] : writes ? yield* written(changes.looks, begins) : none;
    const plain = searched && writes && !begins.length && !changes.without.length && !changes.looks.length;
    const texts = found.map((each) => this.texts.target.decode(each.tokens));
    if (looked.passage && plain) {
      const fragments: string[] = [];
      for (const unit of looked.passage.units.slice(1)) {
        const ids = this.encode(unit, false);
        const [best] = yield* this.remembered(JSON.stringify([ids, wanted.num_beams]), () => this.hypotheses(ids, wanted.num_beams));
        fragments.push(this.texts.target.decode((best as Hypothesis).tokens));
      }
      const written = texts.map((text) => (looked.passage as Passage).translated([text, ...fragments]));
      found = found.map((each, i) => (written[i]?.whole ? each : this.given((written[i] as Translated).read, source)));
      written.forEach(({ text, whole }, i) => {
        texts[i] = looked.around[0] + text + looked.around[1];
        if (!whole && !looked.notes.includes(IN_PARTS)) looked.notes.push(IN_PARTS);
      });
    } else if (looked.passage && searched) texts.forEach((text, i) => (texts[i] = looked.around[0] + restored(text, looked) + looked.around[1]));
    const shown = wanted.hypothesis ?? 0;
    const hypothesis = found[shown];
    if (!hypothesis) throw new Error(`The search found hypotheses 0 to ${found.length - 1}; got ${shown}.`);
    const run: Run = { source, target: hypothesis.tokens, ...changes, names: this.standing(looked) };
    const last = lookingRows(changes.looks).at(-1) ?? 0;
    const rows = this.sequence(run).length;
    if (last >= rows) throw new Error(`Rows of ${this.axis} must be from 0 to ${rows - 1}; got ${last}.`);
    const inputs = new Map<string, Inputs>();
    const states = this.read(run, { attention: (passing) => inputs.set(passing.tap, passing.inputs()) });
    const all = this.rows(states, rows);
    const name = (id: number) => this.entry(id, run);
    const said = (tokens: readonly number[], i: number) => {
      const names = this.names(tokens, "target");
      return looked.passage && searched ? spread(names, texts[i] as string, this.special) : names;
    };
    const hypotheses = found.map((each, i) => ({ text: texts[i] as string, tokens: said(each.tokens, i), score: searched && !Number.isNaN(each.score) ? each.score : null, finished: each.finished }));
    const own = hypotheses[shown]?.tokens as string[];
    const axes = this.saying(this.axes(run, all), run, own, looked);
    if (looked.passage) run.said = Object.fromEntries(Object.entries(axes).map(([axis, { tokens }]) => [axis, tokens]));
    const { kept, ...seen } = this.seen(inputs, edit, axes);
    const steps = run.target.map((id, i) => {
      const row = all[prompt - 1 + i] as Float32Array;
      const candidates = likeliest(this.model, row, (other) => (other === id ? (own[i] as string) : name(other)));
      return { token: own[i] as string, probability: Math.exp(row[id] as number), candidates, id };
    });
    const info: Traced["info"] = {
      id: "",
      model: file.info.name,
      task: file.info.task,
      text: wanted.text,
      ...seen,
      generation: writes ? { axis: this.axis, steps, hypotheses, shown, unsure_below: this.decoding.unsure_below } : null,
      can_ablate: true,
      can_rewrite: searched && writes,
      by_text: true,
      notes: [...(searched && writes ? [ONE_PASS, ...this.forced(run, forced.length)] : []), ...looked.notes, ...notesOf(parts, taps, seen.axes, readable), ROUNDED],
    };
    return { info, run: writes ? run : { ...run, target: all.map((row) => this.model.largest(row, 1)[0] as number), reads: true }, kept };
  }

  override entry(id: number, { names = {} }: Run): string {
    const name = this.name(id, "target");
    return names[name] ?? name;
  }

  /** The tokens that stand for something by themselves, with what that is. */
  private standing({ passage }: Looked): Record<string, string> {
    const { target } = this.texts;
    return Object.fromEntries((passage?.restorations ?? []).flatMap(([word, own]) => {
      const [id, more] = target.encode(word);
      const name = id === undefined || more !== undefined ? "" : this.name(id, "target");
      return name ? [[name, name.replace(word, () => own)]] : [];
    }));
  }

  /** The axes as the text and what was written say it. */
  private saying(axes: Record<string, AxisInfo>, { names = {} }: Run, shown: readonly string[], { passage, around: [before, after] }: Looked): Record<string, AxisInfo> {
    const { source, target } = axes;
    if (!passage || !source || !target) return axes;
    const behind = (row: number) => row + 1 - target.prompt; // what is written behind a row
    const predicts = target.predicts?.map((each, row) => (each === target.tokens[row + 1] ? (shown[behind(row)] as string) : (names[each] ?? each))) ?? null;
    const tokens = target.tokens.map((each, row) => (row < target.prompt ? each : (shown[row - target.prompt] as string)));
    return { source: { ...source, tokens: spread(source.tokens, before + passage.source + after, this.special) }, target: { ...target, tokens, predicts } };
  }

  /** Note on a beginning that was not the model's choice. */
  private forced({ target }: Run, tokens: number): string[] {
    return tokens ? [`forced: the output begins with “${this.texts.target.decode(target.slice(0, tokens))}”`] : [];
  }

  /** Sampling of tokens; null where the likeliest are searched for. */
  private sampling({ temperature, top_k, top_p, seed, num_beams: beams, target }: TraceRequest): Sampling | null {
    if ([temperature, top_k, top_p, seed].every((each) => each === undefined || each === null)) return null;
    if (target) throw new Error("A target leaves nothing to draw; leave out either the target or temperature, top-k, top-p and seed.");
    if ((beams ?? 1) > 1) throw new Error(`Tokens are drawn or searched for, not both; leave out either the ${beams} beams or temperature, top-k, top-p and seed.`);
    const { options = {} } = this.file.info;
    const settings = { temperature: temperature ?? options["temperature"] ?? 1, top_k: top_k ?? options["top_k"] ?? 0, top_p: top_p ?? options["top_p"] ?? 1 };
    if (!(settings.temperature > 0)) throw new Error(`temperature must be a number above 0; got ${settings.temperature}.`);
    if (!(Number.isInteger(settings.top_k) && settings.top_k >= 0)) throw new Error(`top-k must be a whole number of at least 0 (0: every token); got ${settings.top_k}.`);
    if (!(settings.top_p > 0 && settings.top_p <= 1)) throw new Error(`top-p must be above 0 and at most 1; got ${settings.top_p}.`);
    if (!(Number.isSafeInteger(seed ?? 0) && (seed ?? 0) >= 0)) throw new Error(`seed must be a whole number of at least 0; got ${seed}.`);
    return { ...settings, seed: seed ?? 0 };
  }

  /** Log-probabilities of each step, in one pass over what was written. */
  override logits(run: Run): Float32Array[] {
    const { length } = run.target;
    const all = this.read(run);
    return this.rows(all.subarray(this.row(run, 0) * (all.length / this.sequence(run).length)), length);
  }

  /** Log-probabilities behind last states. */
  rows(states: Float32Array, rows: number): Float32Array[] {
    return this.model.logSoftmax(this.model.logits(states, rows), this.model.outputs);
  }

  /** The last states of each position that is written from, (positions, d_model). */
  read(run: Run, listener: Listener | null = null): Float32Array {
    const read = this.sequence(run);
    return this.listened(editOf(run, this.taps), listener, 0, () => (this.pairs ? this.model.read(run.source, read) : this.model.readText(read)));
  }

  /** What the decoder read. */
  sequence({ source, target, reads }: Run): number[] {
    if (this.pairs) return [this.decoding.start_id, ...target.slice(0, -1)];
    return reads ? source : [...source, ...target];
  }

  /** The position from which a step was written. */
  row({ source, reads }: Run, step: number): number {
    return this.pairs || reads ? step : source.length - 1 + step;
  }

  private given(target: string, source: readonly number[]): Hypothesis {
    if (!this.pairs) {
      const [ids, room] = [this.texts.target.encode(target), this.room(source)];
      if (!(ids.length && ids.length <= room)) throw new Error(`A target may have 1 to ${room} tokens after this text with ${this.file.info.name}; got ${ids.length}.`);
      return { tokens: ids, score: NaN, finished: true };
    }
    const { forced_bos_id: forced, eos_ids: ends } = this.decoding;
    const ids = this.texts.target.encode(normalize(target));
    if (!ids.length) throw new Error("The target is empty; give a sentence, or leave the target out.");
    return { tokens: [...(forced === null ? [] : [forced]), ...ids, ends[0] as number], score: NaN, finished: true };
  }

  private axes(run: Run, all: readonly Float32Array[]): Record<string, AxisInfo> {
    const read = this.sequence(run);
    const own = this.reads(read, "target");
    const ids = this.pairs ? run.target : [...read.slice(1), this.model.largest(all.at(-1) as Float32Array, 1)[0] as number];
    own.predicts = this.names(ids, "target");
    if (this.pairs) return { source: this.reads(run.source), target: { ...own, prompt: 1 } };
    return { tokens: { ...own, prompt: run.source.length } };
  }
}
