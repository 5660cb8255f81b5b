/** A translator: a text to its translation, and to everything that the page shows of it. */
import { nameOf } from "../off/parts";
import type { Ablation, AblationRequest, AxisInfo, TapInfo, TraceInfo, TraceRequest } from "../source";
import type { Binary } from "../source/requests";
import { tapsOf, type ModelFile, type Tap } from "./config";
import { fromBase64 } from "./base64";
import { Native, type Inputs, type Listener } from "./native";
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
import { outputNorms } from "./trace/norms";
import { checked, editOf, lookingRows, looksBefore, notesOf, put, type Changes, type Edit } from "./trace/off";
import { joined, read } from "./trace/stream";
import { sinusoids } from "./sinusoids";
import { Weights } from "./weights";

const ONE_PASS = "maps are of one pass over the finished hypothesis";
const WARM = 2; // traces
const REMEMBERED = 16; // searches
const TOGETHER = 256; // tokens that the engine reads at once
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

/** A source that the encoder has read, as the last one. */
interface Encoded {
  key: string;
  decode: number;
  inputs: ReadonlyMap<string, Inputs>; // of its attention
}

export class Translator {
  /** The one that was opened last: a worker has one. */
  static last: Translator | null = null;
  readonly weights: Weights;
  readonly model: Native;
  readonly taps: ReadonlyMap<string, Tap>;
  private readonly norms: ReturnType<typeof outputNorms>;
  private readonly texts: { source: Tokenizer; target: Tokenizer };
  private readonly special: ReadonlySet<string>;
  private readonly checkReadable: (text: string, unknown: number) => void;
  private last: Encoded | null = null;
  private readonly searches = new Map<string, Hypothesis[]>();

  /** `engine` is wasm32.wasm. Its weights are zeros until they are filled in. */
  constructor(readonly file: ModelFile, engine: BufferSource) {
    Translator.last = this;
    this.weights = new Weights(file.tensors, file.bytes);
    this.model = new Native(engine);
    this.taps = new Map(tapsOf(file.config).map((tap) => [tap.name, tap]));
    this.norms = outputNorms(this.weights);
    const source = tokenizer(file.tokenizers.source);
    this.texts = { source, target: file.tokenizers.target ? tokenizer(file.tokenizers.target) : source };
    this.special = new Set(file.special);
    this.checkReadable = readability(file.info.name, file.reads);
  }

  /** The next of the weights; with the last of them the model can run. */
  fill(bytes: Uint8Array): void {
    if (this.weights.fill(bytes)) this.open();
  }

  private open(): void {
    this.forget();
    const { tensors, content } = this.weights;
    this.model.open(fromBase64(this.file.config.engine), tensors, content, sinusoids(this.file.config));
  }

  /** Translates with the zeros that are there, so that what follows finds compiled code. */
  warm(): void {
    const { name, example } = this.file.info;
    this.open();
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

  private forget(): void {
    if (this.last) this.model.end(this.last.decode);
    this.last = null;
  }

  /** A decode of a source, of one hypothesis that has read nothing, and what the encoder's attention read. */
  private encoded(source: readonly number[], { without, looks }: Changes): Encoded {
    const changes = { without, looks: looksBefore(looks, 0) }; // the encoder's
    const key = JSON.stringify([source, changes]);
    if (this.last?.key === key) this.model.select(this.last.decode, []);
    else {
      this.forget();
      const inputs = new Map<string, Inputs>();
      const listener: Listener = { attention: (passing) => inputs.set(passing.tap, passing.inputs()) };
      this.last = { key, inputs, decode: this.listened(editOf(changes), listener, 0, () => this.model.begin(source)) };
    }
    return this.last;
  }

  /** The hypotheses of a search, best first. */
  hypotheses(source: readonly number[], beams?: number, changes: Changes = { without: [], looks: [] }, beginning: readonly number[] = [], sampling: Sampling | null = null): Hypothesis[] {
    const { decoding, config } = this.file;
    const limit = Math.min(decoding.max_new_tokens, config.max_positions - 1);
    const settings = { ...decoding, num_beams: sampling ? 1 : (beams ?? decoding.num_beams), max_new_tokens: limit };
    const unknown = beginning.find((id) => !(id >= 0 && id < this.model.vocabulary));
    if (unknown !== undefined) throw new Error(`Token ids must be from 0 to ${this.model.vocabulary - 1}; got ${unknown}.`);
    if (beginning.length > limit) throw new Error(`An output may begin with ${limit} tokens; got ${beginning.length}.`);
    const { decode } = this.encoded(source, changes);
    const edit = editOf(changes);
    let length = 0; // tokens that each hypothesis has read
    const step = <Answer>(run: () => Answer) => this.listened(edit, null, length++, run);
    const decoder = {
      step: (tokens: readonly number[]) => step(() => this.model.step(decode, tokens)),
      likeliest: (tokens: readonly number[], best: number) => step(() => this.model.likeliest(decode, tokens, best)),
      select: (rows: readonly number[]) => this.model.select(decode, rows),
    };
    return search(decoder, settings, beginning, sampling);
  }

  /** Calls `run` with a change to what passes through the model, the decoder's from a position on, and listens to it. */
  listened<Answer>(edit: Edit | null, listener: Listener | null, first: number, run: () => Answer): Answer {
    if (!edit) return this.model.listening(listener, run);
    const changing: Listener = {
      ...listener,
      attention: (passing) => {
        const tap = this.taps.get(passing.tap) as Tap;
        put(edit, tap, passing, tap.side === "decoder" ? first : 0);
        listener?.attention?.(passing);
      },
    };
    return this.model.listening(changing, run);
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
    const [best] = this.hypotheses(this.encode(text), beams);
    return this.texts.target.decode((best as Hypothesis).tokens);
  }

  /** `kept` computes what the page may ask of the trace later. */
  trace(wanted: TraceRequest): Traced & { kept: () => Kept } {
    const [text, sentence] = this.chosen(wanted);
    const source = this.encode(text);
    const changes = { without: wanted.without ?? [], looks: wanted.looks ?? [] };
    const parts = checked(changes, { source: source.length, taps: this.taps });
    const edit = editOf(changes);
    const forced = wanted.forced_beginning ?? [];
    const sampling = this.sampling(wanted);
    const searched = wanted.target === undefined || wanted.target === null;
    const written = (looks: string[], begins: readonly number[]) =>
      this.remembered(JSON.stringify([source, wanted.num_beams, changes.without, looks, begins, sampling]), () =>
        this.hypotheses(source, wanted.num_beams, { ...changes, looks }, begins, sampling));
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
    const { inputs, states } = this.passed(run);
    const logits = this.logits(run, states);
    const maps = [...this.taps.values()].map((tap) => tapMaps(tap, inputs.get(tap.name) as Inputs, edit));
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
      const answers = maps.map((each) => answersOf(each, this.norms(each, (inputs.get(each.name) as Inputs).value), targetsOf(each, maps, axes)));
      return { numbers: answers.flatMap((each) => each.numbers), plain: answers.flatMap((each) => each.plain) };
    };
    return { info, run, kept };
  }

  ablate(run: Run, info: TraceInfo, request: AblationRequest): Ablation {
    const [before, after] = [run.without, [...run.without, nameOf(request, info)]].map((without) => this.logits({ ...run, without }));
    return ablation(request, info, run.target, before ?? [], after ?? [], (id) => this.name(id, "target"));
  }

  /** The log-probability of the output when these positions of the source are struck out too. */
  score(run: Run, more: readonly number[]): number {
    const rows = this.logits({ ...run, without: [...run.without, ...more.map(String)] });
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
  logits(run: Run, states = this.read(run)): Float32Array[] {
    const all = this.model.logits(states, run.target.length);
    return run.target.map((_, i) => logSoftmax(all.subarray(i * this.model.vocabulary, (i + 1) * this.model.vocabulary)));
  }

  /** What every attention of a run read, and its last states, beside the source as it has been read. */
  private passed(run: Run): { inputs: Map<string, Inputs>; states: Float32Array } {
    const { weights, file: { config } } = this;
    const inputs = new Map<string, Inputs>();
    const attention: Listener["attention"] = (passing) => inputs.set(passing.tap, passing.inputs());
    if (run.target.length > TOGETHER) return { inputs, states: this.read(run, { attention }) };
    const { decode, inputs: own } = this.encoded(run.source, run);
    for (const [tap, of] of own) inputs.set(tap, of);
    let states: Float32Array = new Float32Array();
    const listener: Listener = {
      attention,
      states: (_, layer, rows) => void (layer === config.decoder_layers && (states = joined(rows.map((row) => read(weights, config, row))))),
    };
    this.listened(editOf(run), listener, 0, () => this.model.pass(decode, this.begun(run)));
    return { inputs, states };
  }

  /** The last states of each step, (steps, d_model). */
  read(run: Run, listener: Listener | null = null): Float32Array {
    return this.listened(editOf(run), listener, 0, () => this.model.read(run.source, this.begun(run)));
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

  private tap({ name, side, kind, layer, heads, dim, rows, columns, scale }: TapMaps): TapInfo {
    const own = side === "encoder" ? "source" : "target";
    return {
      name,
      side,
      kind,
      layer,
      heads,
      key_heads: heads,
      head_dim: dim,
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
    const found = maps.map(errors);
    return {
      row_sum_error: Math.max(...found.map((each) => each.sum)),
      difference: Math.max(...found.map((each) => each.difference)),
      rows: maps.reduce((sum, each) => sum + each.rows * each.heads, 0),
      dtype: "float32",
    };
  }

  name(id: number, side: "source" | "target"): string {
    const piece = this.texts[side].piece(id);
    return piece === null ? String(id) : piece.replaceAll(" ", "▁").replaceAll("\n", "↵");
  }
}
