/** A translator: a text to its translation, and to everything that the page shows of it. */
import { nameOf } from "../off/parts";
import type { Ablation, AblationRequest, AxisInfo, TapInfo, TraceInfo, TraceRequest } from "../source";
import type { Binary } from "../source/requests";
import type { ModelFile } from "./config";
import type { Edit, Inputs, Listener } from "./layers/attention";
import { Model, type Memory } from "./model";
import { logSoftmax } from "./search/numbers";
import { uniformDraws } from "./search/draws";
import type { Sampling } from "./search/sampling";
import { search, type Hypothesis } from "./search/search";
import { normalize } from "./text/normalize";
import { readability } from "./text/readable";
import { sentences, sentenceSpans, wordSpans } from "./text/spans";
import { tokenizer, type Tokenizer } from "./text/tokenizer";
import { ablation, likeliest, readable } from "./trace/ablation";
import { answersOf, errors, tapMaps, type TapMaps } from "./trace/maps";
import { targetsOf } from "./trace/patterns";
import { checked, editOf, lookingRows, looksBefore, notesOf, type Changes } from "./trace/off";
import { Weights } from "./weights";

const ONE_PASS = "maps are of one pass over the finished hypothesis";
const WARM = 2; // traces
const REMEMBERED = 16; // searches
const ROUNDED = "computed by this page, with weights rounded to int8";

/** Trace of what the model read and wrote; with the names of what was changed. */
export interface Run extends Changes {
  source: number[];
  target: number[];
}

export interface Traced {
  info: TraceInfo; // its id is the page's to give
  run: Run;
}

/** Stored numbers of a trace, as source/kept.ts lists them. */
export interface Kept {
  numbers: [string, Binary][];
  plain: [string, unknown][];
}

export class Translator {
  /** The one that was opened last: a worker has one. */
  static last: Translator | null = null;
  readonly weights: Weights;
  readonly model: Model;
  private readonly texts: { source: Tokenizer; target: Tokenizer };
  private readonly special: ReadonlySet<string>;
  private readonly checkReadable: (text: string, unknown: number) => void;
  private readonly searches = new Map<string, Hypothesis[]>();

  /** Its weights are zeros until they are filled in. */
  constructor(readonly file: ModelFile) {
    Translator.last = this;
    this.weights = new Weights(file.tensors, file.bytes);
    this.model = new Model(file.config, this.weights);
    const source = tokenizer(file.tokenizers.source);
    this.texts = { source, target: file.tokenizers.target ? tokenizer(file.tokenizers.target) : source };
    this.special = new Set(file.special);
    this.checkReadable = readability(file.info.name, file.reads);
  }

  /** The next of the weights, from this byte on. */
  fill(at: number, bytes: Uint8Array): void {
    this.weights.fill(at, bytes);
  }

  /** Translates with the zeros that are there, so that what follows finds compiled code. */
  warm(): void {
    const { name, example } = this.file.info;
    if (example) for (let i = 0; i < WARM; i++) this.trace({ model: name, text: example });
    this.searches.clear(); // its weights are zeros yet
  }

  /** The sentence that is looked at, and a note if there are others: a target goes with all of them. */
  private chosen({ text, sentence, target }: TraceRequest): [string, string[]] {
    const all = sentences(text);
    if (!all.length || (target && !sentence)) return [text, []];
    const chosen = all[(sentence ?? 1) - 1];
    if (chosen === undefined) throw new Error(`sentence must be from 1 to ${all.length}, as the text has them; got ${sentence}.`);
    return [chosen, all.length > 1 ? [`sentence ${sentence ?? 1} of ${all.length}`] : []];
  }

  /** Ids of a text as the model reads it. */
  encode(text: string): number[] {
    const { before, after, prefix, info } = this.file;
    const tidy = normalize(text);
    const ids = tidy ? this.texts.source.encode(prefix + tidy) : [];
    const room = info.max_tokens - before.length - after.length + 1; // max_tokens leaves one for the end
    if (!ids.length) throw new Error("There is no text to look at; write a sentence.");
    this.checkReadable(tidy, this.texts.source.unknownShare(tidy));
    if (ids.length > room) throw new Error(`A text may have ${room} tokens with ${info.name}; got ${ids.length}. Look at a part of it.`);
    return [...before, ...ids, ...after];
  }

  /** The hypotheses of a search, best first. */
  hypotheses(memory: Memory, beams?: number, edit: Edit | null = null, beginning: readonly number[] = [], sampling: Sampling | null = null): Hypothesis[] {
    const { decoding, config } = this.file;
    const limit = Math.min(decoding.max_new_tokens, config.max_positions - 1);
    const settings = { ...decoding, num_beams: sampling ? 1 : (beams ?? decoding.num_beams), max_new_tokens: limit };
    const unknown = beginning.find((id) => !(id >= 0 && id < this.model.vocabulary));
    if (unknown !== undefined) throw new Error(`Token ids must be from 0 to ${this.model.vocabulary - 1}; got ${unknown}.`);
    if (beginning.length > limit) throw new Error(`An output may begin with ${limit} tokens; got ${beginning.length}.`);
    return search(this.model.start(memory, edit), settings, beginning, sampling);
  }

  /** The hypotheses of a search that may have been made already: a look begins where the one before it ended. */
  private remembered(key: string, make: () => Hypothesis[]): Hypothesis[] {
    const found = this.searches.get(key) ?? make();
    this.searches.delete(key);
    this.searches.set(key, found);
    for (const oldest of [...this.searches.keys()].slice(0, -REMEMBERED)) this.searches.delete(oldest);
    return found;
  }

  translate(text: string, beams?: number): string {
    const [best] = this.hypotheses(this.model.encode(this.encode(text)), beams);
    return this.texts.target.decode((best as Hypothesis).tokens);
  }

  /** `kept` computes what the page may ask of the trace later. */
  trace(wanted: TraceRequest): Traced & { kept: () => Kept } {
    const [text, sentence] = this.chosen(wanted);
    const source = this.encode(text);
    const changes = { without: wanted.without ?? [], looks: wanted.looks ?? [] };
    const heads = new Map(this.model.taps().map(({ name, attention }) => [name, attention.heads.count]));
    const parts = checked(changes, { source: source.length, heads });
    const edit = editOf(changes);
    const forced = wanted.forced_beginning ?? [];
    const sampling = this.sampling(wanted);
    const searched = wanted.target === undefined || wanted.target === null;
    const inputs = new Map<string, Inputs>();
    const listener: Listener = (tap, read) => inputs.set(tap, read);
    const memory = this.model.encode(source, edit, listener);
    const written = (looks: string[], begins: readonly number[]) =>
      this.remembered(JSON.stringify([source, wanted.num_beams, changes.without, looks, begins, sampling]), () =>
        this.hypotheses(memory, wanted.num_beams, editOf({ ...changes, looks }), begins, sampling));
    let begins: readonly number[] = forced;
    // A look changes what is written from its row on, and nothing before it.
    for (const row of searched ? lookingRows(changes.looks) : [])
      if (row > begins.length) begins = (written(looksBefore(changes.looks, row), begins)[0] as Hypothesis).tokens.slice(0, row);
    const found = searched ? written(changes.looks, begins) : [this.given(wanted.target as string)];
    const shown = wanted.hypothesis ?? 0;
    const hypothesis = found[shown];
    if (!hypothesis) throw new Error(`The search found hypotheses 0 to ${found.length - 1}; got ${shown}.`);
    const run = { source, target: hypothesis.tokens, ...changes };
    const last = lookingRows(changes.looks).at(-1) ?? 0;
    if (last >= run.target.length) throw new Error(`Rows of target must be from 0 to ${run.target.length - 1}; got ${last}.`);
    const logits = this.logits(run, edit, memory, listener);
    const layers = this.model.taps().map(({ name, attention }) => ({ attention, read: inputs.get(name) as Inputs, name }));
    const maps = layers.map(({ name, read, attention }) => tapMaps(name, read, attention, edit));
    const name = (id: number) => this.name(id, "target");
    const steps = logits.map((row, i) => {
      const id = run.target[i] as number;
      return { token: name(id), probability: Math.exp(row[id] as number), candidates: likeliest(row, name), id };
    });
    const axes = this.axes(run);
    const info: TraceInfo = {
      id: "",
      model: this.file.info.name,
      task: "translation",
      text: wanted.text,
      axes,
      taps: maps.map((each) => this.tap(each)),
      receipt: this.receipt(maps),
      generation: {
        axis: "target",
        steps,
        hypotheses: found.map((each) => ({
          text: this.texts.target.decode(each.tokens),
          tokens: each.tokens.map(name),
          score: searched ? each.score : null,
          finished: each.finished,
        })),
        shown,
        unsure_below: this.file.decoding.unsure_below,
      },
      can_ablate: true,
      can_rewrite: searched,
      by_text: true,
      notes: [...(searched ? [ONE_PASS, ...this.forced(run, forced.length)] : []), ...sentence, ...notesOf(parts, axes, readable), ROUNDED],
    };
    const kept = () => {
      const answers = maps.map((each, i) => {
        const { attention, read } = layers[i] as (typeof layers)[number];
        return answersOf(each, attention.valueNorms(read.value), targetsOf(each, maps, axes));
      });
      return { numbers: answers.flatMap((each) => each.numbers), plain: answers.flatMap((each) => each.plain) };
    };
    return { info, run, kept };
  }

  ablate(run: Run, info: TraceInfo, request: AblationRequest): Ablation {
    const [before, after] = [run.without, [...run.without, nameOf(request, info)]].map((without) => this.logits(run, editOf({ ...run, without })));
    return ablation(request, info, run.target, before ?? [], after ?? [], (id) => this.name(id, "target"));
  }

  /** The log-probability of the output when these positions of the source are struck out too. */
  score(run: Run, more: readonly number[]): number {
    const rows = this.logits(run, editOf({ ...run, without: [...run.without, ...more.map(String)] }));
    return rows.reduce((sum, row, i) => sum + (row[run.target[i] as number] as number), 0);
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
    return { ...settings, draws: uniformDraws(seed ?? 0, this.file.decoding.max_new_tokens) };
  }

  /** Log-probabilities of each step, in one pass over what was written. */
  logits(run: Run, edit = editOf(run), memory = this.model.encode(run.source, edit), listener: Listener | null = null): Float32Array[] {
    const all = this.model.read(this.begun(run), memory, edit, listener);
    const size = this.model.vocabulary;
    return run.target.map((_, i) => logSoftmax(all.subarray(i * size, (i + 1) * size)));
  }

  /** Logits of one step. */
  scores(run: Run, step: number): Float32Array {
    const size = this.model.vocabulary;
    return this.model.read(this.begun(run), this.model.encode(run.source)).slice(step * size, (step + 1) * size);
  }

  /** What the decoder read. */
  begun({ target }: Run): number[] {
    return [this.file.decoding.start_id, ...target.slice(0, -1)];
  }

  private given(target: string): Hypothesis {
    const { forced_bos_id: forced, eos_ids: ends } = this.file.decoding;
    const ids = this.texts.target.encode(normalize(target));
    if (!ids.length) throw new Error("The target is empty; give a sentence, or leave the target out.");
    return { tokens: [...(forced === null ? [] : [forced]), ...ids, ends[0] as number], score: NaN, finished: true };
  }

  private axes(run: Run): Record<string, AxisInfo> {
    const predicts = run.target.map((id) => this.name(id, "target"));
    return { source: this.reads(run.source), target: { ...this.reads(this.begun(run), "target"), predicts, prompt: 1 } };
  }

  /** Tokens of one side, with the words and sentences that they spell. */
  reads(ids: readonly number[], side: "source" | "target" = "source"): AxisInfo {
    const tokens = ids.map((id) => this.name(id, side));
    return { tokens, words: wordSpans(tokens, this.special), sentences: sentenceSpans(tokens, this.special), predicts: null, prompt: ids.length };
  }

  private tap({ name, kind, rows, columns, scale, heads }: TapMaps): TapInfo {
    const side = name.startsWith("encoder") ? "encoder" : "decoder";
    const own = side === "encoder" ? "source" : "target";
    return {
      name,
      side,
      kind,
      layer: Number(name.split(".")[2]),
      heads: heads.length,
      key_heads: heads.length,
      head_dim: this.file.config[`${side}_head_dim`],
      rows,
      columns,
      queries: own,
      keys: kind === "cross" ? "source" : own,
      causal: kind === "self" && side === "decoder",
      score: scale === 1 ? "q·k" : `q·k / √${Math.round(scale ** -2)}`,
      quantities: ["weight", "norm", "score"],
      notes: [],
    };
  }

  private receipt(maps: readonly TapMaps[]): TraceInfo["receipt"] {
    const found = maps.map((each) => errors(each, this.tap(each).head_dim));
    return {
      row_sum_error: Math.max(...found.map((each) => each.sum)),
      difference: Math.max(...found.map((each) => each.difference)),
      rows: maps.reduce((sum, each) => sum + each.rows * each.heads.length, 0),
      dtype: "float32",
    };
  }

  name(id: number, side: "source" | "target"): string {
    const piece = this.texts[side].piece(id);
    return piece === null ? String(id) : piece.replaceAll(" ", "▁").replaceAll("\n", "↵");
  }
}
