/** A model of the file, with everything that its kinds share: what passes inside, maps, and what is changed. */
import { nameOf } from "../off/parts";
import type { Ablation, AblationRequest, AxisInfo, TapInfo, TraceInfo, TraceRequest } from "../source";
import type { Binary } from "../source/requests";
import { fromBase64 } from "./base64";
import type { ModelFile, Tap } from "./config";
import { Native, type Inputs, type Listener } from "./native";
import { sinusoids } from "./sinusoids";
import { sentenceSpans, wordSpans } from "./text/spans";
import { tokenizer, type Tokenizer } from "./text/tokenizer";
import { ablation } from "./trace/ablation";
import { answersOf, errors, tapMaps, type TapMaps } from "./trace/maps";
import { targetsOf } from "./trace/patterns";
import { outputNorms } from "./trace/norms";
import { put, type Changes, type Edit } from "./trace/off";
import { namesOf } from "../weights/naming";
import { Weights } from "./weights";

export const ROUNDED = "computed by this page, with weights rounded to int8";

/** What a model read and wrote, or the likeliest entry of each of its outputs; with the names of what was changed. */
export interface Run extends Changes {
  source: number[];
  target: number[];
  reads?: boolean; // nothing was written
  names?: Record<string, string>; // of tokens that stand for something in this text
  said?: Record<string, string[]>; // tokens of the axes as the text and what was written say them
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

/** `kept` computes what the page may ask of the trace later. */
export type Whole = Traced & { kept: () => Kept };
export type Tracing = Generator<readonly number[], Whole>;

export abstract class Model {
  readonly weights: Weights;
  readonly model: Native;
  readonly taps: ReadonlyMap<string, Tap>;
  protected readonly texts: { source: Tokenizer; target: Tokenizer };
  protected readonly special: ReadonlySet<string>;
  private readonly norms: ReturnType<typeof outputNorms>;
  private readonly tables: ReturnType<typeof sinusoids>;

  /** `engine` is the library. Its weights are zeros until they are filled in. */
  constructor(readonly file: ModelFile, engine: BufferSource | WebAssembly.Module) {
    this.weights = new Weights(file.tensors, file.bytes);
    this.model = new Native(engine);
    this.taps = new Map(file.config.taps.map((tap) => [tap.name, tap]));
    this.norms = outputNorms(this.weights);
    this.tables = sinusoids(file.config);
    const source = (file.tokenizers.source && tokenizer(file.tokenizers.source)) as Tokenizer; // of images: none
    this.texts = { source, target: file.tokenizers.target ? tokenizer(file.tokenizers.target) : source };
    this.special = new Set(file.special);
  }

  abstract trace(wanted: TraceRequest): Whole;

  /** The same, which gives the tokens written so far at each step. */
  *tracing(wanted: TraceRequest): Tracing {
    return this.trace(wanted);
  }

  spelled(tokens: readonly number[]): string {
    return this.texts.target.decode(tokens);
  }

  /** Log-probabilities of each output, (outputs, entries). */
  abstract logits(run: Run): Float32Array[];
  /** The name of an entry of the outputs. */
  abstract entry(id: number, run: Run): string;

  /** The next of the weights; true with the last of them, when the model can run. */
  fill(bytes: Uint8Array): boolean {
    const whole = this.weights.fill(bytes);
    if (whole) this.open();
    return whole;
  }

  protected open(): void {
    const { tensors, content } = this.weights;
    this.model.open(fromBase64(this.file.config.engine), tensors, content, this.tables);
  }

  /** Runs with the zeros that are there, so that what follows finds compiled code. */
  warm(): void {
    const { name, example } = this.file.info;
    this.open();
    if (!example) return;
    try {
      this.trace({ model: name, text: example });
    } catch {
      // It may be too long for the model, which can read other texts; who asks for it learns why.
    }
  }

  /** Ids of a tidy text as the model reads it. */
  protected encoded(text: string, room: number): number[] {
    const { before, after, prefix, info } = this.file;
    const ids = text.trim() ? this.texts.source.encode(prefix + text) : [];
    if (!ids.length) throw new Error("There is no text to look at; write a sentence.");
    if (ids.length > room) throw new Error(`A text may have ${room} tokens with ${info.name}; got ${ids.length}. Look at a part of it.`);
    return [...before, ...ids, ...after];
  }

  /** Calls `run` with a change to what passes through the model, the decoder's from a position on, and listens to it. */
  listened<Answer>(edit: Edit | null, listener: Listener | null, first: number, run: () => Answer): Answer {
    if (!edit) return this.model.listening(listener, run);
    const changing: Listener = {
      ...listener,
      attention: (passing) => {
        const tap = this.taps.get(passing.tap) as Tap;
        put(this.model, edit, tap, passing, tap.side === "decoder" ? first : 0);
        listener?.attention?.(passing);
      },
    };
    return this.model.listening(changing, run);
  }

  ablate(run: Run, info: TraceInfo, request: AblationRequest): Ablation {
    const [before, after] = [run.without, [...run.without, nameOf(request, info)]].map((without) => this.logits({ ...run, without }));
    return ablation(this.model, request, info, run.target, before ?? [], after ?? [], (id) => this.entry(id, run));
  }

  /** The log-probability of each token of the output when these parts are off too. */
  score(run: Run, more: readonly string[]): number[] {
    const rows = this.logits({ ...run, without: [...run.without, ...more] });
    return rows.map((row, i) => row[run.target[i] as number] as number);
  }

  /** Tokens of one side, with the words and sentences that they spell. */
  reads(ids: readonly number[], side: "source" | "target" = "source"): AxisInfo {
    const tokens = this.names(ids, side);
    return { tokens, words: wordSpans(tokens, this.special), sentences: sentenceSpans(tokens, this.special), predicts: null, prompt: ids.length, peaks: null, image: null };
  }

  name(id: number, side: "source" | "target"): string {
    return this.names([id], side)[0] as string;
  }

  /** Names of ids that follow each other. */
  names(ids: readonly number[], side: "source" | "target"): string[] {
    return namesOf(ids, this.texts[side]);
  }

  /** The parts of a trace that follow from what every attention read. */
  protected seen(inputs: ReadonlyMap<string, Inputs>, edit: Edit | null, axes: TraceInfo["axes"]): Pick<TraceInfo, "axes" | "taps" | "receipt"> & { kept: () => Kept } {
    const maps = [...this.taps.values()].map((tap) => tapMaps(this.model, tap, inputs.get(tap.name) as Inputs, edit));
    const kept = () => {
      const answers = maps.map((each) => answersOf(each, this.norms(each, (inputs.get(each.name) as Inputs).value), targetsOf(each, maps, axes)));
      return { numbers: answers.flatMap((each) => each.numbers), plain: answers.flatMap((each) => each.plain) };
    };
    return { axes, taps: maps.map(tapInfo), receipt: receipt(maps), kept };
  }
}

function tapInfo({ maps: _, dim, scale, ...tap }: TapMaps): TapInfo {
  return { ...tap, head_dim: dim, score: scale === 1 ? "q·k" : `q·k / √${Math.round(scale ** -2)}`, quantities: ["weight", "norm", "score"], notes: [] };
}

function receipt(maps: readonly TapMaps[]): TraceInfo["receipt"] {
  const found = maps.map(errors);
  return {
    row_sum_error: Math.max(...found.map((each) => each.sum)),
    difference: Math.max(...found.map((each) => each.difference)),
    rows: maps.reduce((sum, each) => sum + each.rows * each.heads, 0),
    dtype: "float32",
  };
}
