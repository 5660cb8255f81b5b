/** A translator: a text to its translation, and to everything that the page shows of it. */
import type { Ablation, AblationRequest, AxisInfo, TapInfo, TraceInfo, TraceRequest } from "../source";
import type { Binary } from "../source/requests";
import type { ModelFile } from "./config";
import type { Edit, Inputs } from "./layers/attention";
import { Model } from "./model";
import { logSoftmax } from "./search/numbers";
import { search, type Hypothesis } from "./search/search";
import { normalize } from "./text/normalize";
import { sentenceSpans, wordSpans } from "./text/spans";
import { tokenizer, type Tokenizer } from "./text/tokenizer";
import { ablation, editOf, likeliest, readable, withoutSource } from "./trace/ablation";
import { answersOf, errors, tapMaps, type TapMaps } from "./trace/maps";
import { Weights } from "./weights";

const ONE_PASS = "maps are of one pass over the finished hypothesis";
const ROUNDED = "computed by this page, with weights rounded to int8";

/** What the model read and wrote; with positions of the source that nothing else may see. */
export interface Run {
  source: number[];
  target: number[];
  hidden: number[];
}

export interface Traced {
  info: TraceInfo; // its id is the page's to give
  run: Run;
  numbers: [string, Binary][];
  plain: [string, unknown][];
}

export class Translator {
  private readonly model: Model;
  private readonly texts: { source: Tokenizer; target: Tokenizer };
  private readonly special: ReadonlySet<string>;

  constructor(private readonly file: ModelFile, weights: Uint8Array) {
    this.model = new Model(file.config, new Weights(file.tensors, weights));
    const source = tokenizer(file.tokenizers.source);
    this.texts = { source, target: file.tokenizers.target ? tokenizer(file.tokenizers.target) : source };
    this.special = new Set(file.special);
  }

  /** Ids of a text as the model reads it. */
  encode(text: string): number[] {
    const { before, after, prefix, info } = this.file;
    const tidy = normalize(text);
    const ids = tidy ? this.texts.source.encode(prefix + tidy) : [];
    const room = info.max_tokens - before.length - after.length + 1; // max_tokens leaves one for the end
    if (!ids.length) throw new Error("There is no text to look at; write a sentence.");
    if (ids.length > room) throw new Error(`A text may have ${room} tokens with ${info.name}; got ${ids.length}. Look at a part of it.`);
    return [...before, ...ids, ...after];
  }

  /** The hypotheses of a search, best first. */
  hypotheses(source: readonly number[], beams?: number, edit: Edit | null = null, beginning: readonly number[] = []): Hypothesis[] {
    const { decoding, config } = this.file;
    const limit = Math.min(decoding.max_new_tokens, config.max_positions - 1);
    const settings = { ...decoding, num_beams: beams ?? decoding.num_beams, max_new_tokens: limit };
    const unknown = beginning.find((id) => !(id >= 0 && id < this.model.vocabulary));
    if (unknown !== undefined) throw new Error(`Token ids must be from 0 to ${this.model.vocabulary - 1}; got ${unknown}.`);
    if (beginning.length > limit) throw new Error(`An output may begin with ${limit} tokens; got ${beginning.length}.`);
    return search(this.model.start(this.model.encode(source, edit), edit), settings, beginning);
  }

  translate(text: string, beams?: number): string {
    const [best] = this.hypotheses(this.encode(text), beams);
    return this.texts.target.decode((best as Hypothesis).tokens);
  }

  trace(wanted: TraceRequest): Traced {
    const source = this.encode(wanted.text);
    const hidden = wanted.hidden ?? [];
    const outside = hidden.find((each) => !(each >= 0 && each < source.length));
    if (outside !== undefined) throw new Error(`Hidden positions must be from 0 to ${source.length - 1}; got ${outside}.`);
    const edit = hidden.length ? withoutSource(new Set(hidden)) : null;
    const begins = wanted.forced_beginning ?? [];
    const searched = wanted.target === undefined || wanted.target === null;
    const found = searched ? this.hypotheses(source, wanted.num_beams, edit, begins) : [this.given(wanted.target as string)];
    const shown = wanted.hypothesis ?? 0;
    const hypothesis = found[shown];
    if (!hypothesis) throw new Error(`The search found hypotheses 0 to ${found.length - 1}; got ${shown}.`);
    const run = { source, target: hypothesis.tokens, hidden };
    const inputs = new Map<string, Inputs>();
    const logits = this.logits(run, edit, (tap, read) => inputs.set(tap, read));
    const maps = this.model.taps().map(({ name, attention }) => tapMaps(name, inputs.get(name) as Inputs, attention, edit));
    const name = (id: number) => this.name(id, "target");
    const steps = logits.map((row, i) => {
      const probabilities = row.map(Math.exp);
      const id = run.target[i] as number;
      return { token: name(id), probability: probabilities[id] as number, candidates: likeliest(probabilities, name), id };
    });
    const info: TraceInfo = {
      id: "",
      model: this.file.info.name,
      task: "translation",
      text: wanted.text,
      axes: this.axes(run),
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
      },
      can_ablate: true,
      notes: [...(searched ? [ONE_PASS, ...this.forced(run, begins.length)] : []), ...this.struck(run), ROUNDED],
    };
    const answers = maps.map(answersOf);
    return { info, run, numbers: answers.flatMap((each) => each.numbers), plain: answers.flatMap((each) => each.plain) };
  }

  ablate(run: Run, info: TraceInfo, request: AblationRequest): Ablation {
    const own = run.hidden.length ? withoutSource(new Set(run.hidden)) : null;
    const asked = editOf(request, info.taps);
    const both: Edit = {
      hides: (...where) => !!own?.hides?.(...where) || !!asked.hides?.(...where),
      silences: (...where) => !!asked.silences?.(...where),
    };
    const probabilities = (edit: Edit | null) => this.logits(run, edit).map((row) => row.map(Math.exp));
    return ablation(request, info, run.target, probabilities(own), probabilities(both), (id) => this.name(id, "target"));
  }

  /** The log-probability of the output when these positions of the source are struck out too. */
  score(run: Run, more: readonly number[]): number {
    const hidden = new Set([...run.hidden, ...more]);
    const rows = this.logits(run, hidden.size ? withoutSource(hidden) : null);
    return rows.reduce((sum, row, i) => sum + (row[run.target[i] as number] as number), 0);
  }

  /** What the notes say of a beginning that was not the model's choice. */
  private forced({ target }: Run, tokens: number): string[] {
    return tokens ? [`forced: the output begins with “${this.texts.target.decode(target.slice(0, tokens))}”`] : [];
  }

  /** What the notes say of struck words. */
  private struck({ source, hidden }: Run): string[] {
    const words = hidden.map((at) => `“${readable(this.name(source[at] as number, "source"))}”`);
    return words.length ? [`struck out: no other position sees ${words.join(", ")}`] : [];
  }

  /** Log-probabilities of each step, in one pass over what was written. */
  private logits({ source, target }: Run, edit: Edit | null, listener: ((tap: string, inputs: Inputs) => void) | null = null): Float32Array[] {
    const memory = this.model.encode(source, edit, listener);
    const read = [this.file.decoding.start_id, ...target.slice(0, -1)];
    const all = this.model.read(read, memory, edit, listener);
    const size = this.model.vocabulary;
    return target.map((_, i) => logSoftmax(all.subarray(i * size, (i + 1) * size)));
  }

  private given(target: string): Hypothesis {
    const { forced_bos_id: forced, eos_ids: ends } = this.file.decoding;
    const ids = this.texts.target.encode(normalize(target));
    if (!ids.length) throw new Error("The target is empty; give a sentence, or leave the target out.");
    return { tokens: [...(forced === null ? [] : [forced]), ...ids, ends[0] as number], score: NaN, finished: true };
  }

  private axes({ source, target }: Run): Record<string, AxisInfo> {
    const axis = (ids: readonly number[], side: "source" | "target") => {
      const tokens = ids.map((id) => this.name(id, side));
      return { tokens, words: wordSpans(tokens, this.special), sentences: sentenceSpans(tokens, this.special) };
    };
    const read = [this.file.decoding.start_id, ...target.slice(0, -1)];
    return {
      source: { ...axis(source, "source"), predicts: null, prompt: source.length },
      target: { ...axis(read, "target"), predicts: target.map((id) => this.name(id, "target")), prompt: 1 },
    };
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

  private name(id: number, side: "source" | "target"): string {
    const piece = this.texts[side].piece(id);
    return piece === null ? String(id) : piece.replaceAll(" ", "▁").replaceAll("\n", "↵");
  }
}
