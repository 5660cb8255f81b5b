/** A model that reads, a classifier or an encoder: a text to its labels or its vector, and to everything that the page shows of it. */
import type { AxisInfo, Candidate, Near, TraceInfo, TraceRequest } from "../source";
import type { ModelFile, Reading } from "./config";
import { Model, ROUNDED, type Kept, type Run, type Traced } from "./model";
import type { Inputs, Listener } from "./native";
import type { Pixels } from "./pixels";
import { product } from "./study/plane";
import { likeliest, readable } from "./trace/ablation";
import { checked, editOf, notesOf } from "./trace/off";

const LABELS = 3; // that a trace has

export type Wanted = TraceRequest & { image?: Pixels | undefined }; // of a model of images

export class Reader extends Model {
  readonly reading: Reading;
  private everyday: Float32Array[] | null = null; // vectors of the sentences beside which a text is placed

  constructor(file: ModelFile, engine: BufferSource | WebAssembly.Module) {
    super(file, engine);
    this.reading = file.reading as Reading;
  }

  override warm(): void {
    super.warm();
    this.everyday = null; // its weights are zeros yet
  }

  private encode(text: string): number[] {
    const { before, after, info } = this.file;
    return this.encoded(this.reading.lowercase ? text.toLowerCase() : text, info.max_tokens - before.length - after.length);
  }

  /** What the model reads: ids. */
  protected sourceOf({ text }: Wanted): number[] {
    return this.encode(text);
  }

  /** Names of the positions of what it reads. */
  protected axesOf(source: readonly number[]): TraceInfo["axes"] {
    return { tokens: this.reads(source) };
  }

  /** The last states, (positions, d_model). */
  protected read(source: readonly number[]): Float32Array {
    return this.model.readText(source);
  }

  trace(wanted: Wanted): Traced & { kept: () => Kept } {
    const { file: { info: { name: model, task } }, reading, taps } = this;
    const source = this.sourceOf(wanted);
    const axes = this.axesOf(source);
    const [[axis, { tokens, image }]] = Object.entries(axes) as [[string, AxisInfo]];
    const changes = { without: wanted.without ?? [], looks: wanted.looks ?? [] };
    const parts = checked(changes, { positions: { [axis]: tokens.length }, taps });
    const run: Run = { source, target: [], ...changes };
    const inputs = new Map<string, Inputs>();
    const states = this.states(run, { attention: (passing) => inputs.set(passing.tap, passing.inputs()) });
    const rows = this.rows(states);
    run.target = rows.map((row) => this.model.largest(row, 1)[0] as number);
    const { kept, ...seen } = this.seen(inputs, editOf(changes, taps), axes);
    const name = (id: number) => this.entry(id, run);
    const answers = Object.entries(reading.answers).map(([what, step]) => `${what}: ${likeliest(this.model, rows[step] as Float32Array, name).map((each) => `${each.token} ${each.probability.toFixed(3)}`).join(", ")}`);
    const info: Traced["info"] = {
      id: "", model, task, text: wanted.text, ...seen,
      generation: null,
      can_ablate: rows.length > 0,
      can_rewrite: Boolean(image),
      by_text: true,
      labels: reading.ranked ? this.labels(rows[0] as Float32Array) : [],
      nearest: reading.vector && !changes.looks.length && !changes.without.length ? this.nearest(states, tokens.length) : [],
      notes: [...(rows.length ? [] : ["the model gives vectors, no scores of words or labels (logits), so nothing can be switched off"]), ...notesOf(parts, taps, seen.axes, readable), ...answers, ROUNDED],
    };
    return { info, run, kept };
  }

  override logits(run: Run): Float32Array[] {
    return this.rows(this.states(run));
  }

  override entry(id: number, { source }: Run): string {
    return this.reading.head === "question_answering" ? this.name(source[id] as number, "source") : (this.reading.labels[id] as string);
  }

  private states(run: Run, listener: Listener | null = null): Float32Array {
    return this.listened(editOf(run, this.taps), listener, 0, () => this.read(run.source));
  }

  /** Log-probabilities of each output of the head: one of a text's labels, one for each token, or where an answer begins and ends. */
  private rows(states: Float32Array): Float32Array[] {
    const { head, several, vector } = this.reading;
    const tokens = states.length / this.file.config.d_model;
    if (vector) return [];
    const { outputs } = this.model;
    if (head === "classification") {
      const row = this.model.logits(this.first(states, tokens), 1);
      return several ? [row.map((logit) => -Math.log1p(Math.exp(-logit)))] : this.model.logSoftmax(row, outputs);
    }
    const all = this.model.logits(states, tokens);
    if (head !== "question_answering") return this.model.logSoftmax(all, outputs);
    const ends = Float32Array.from({ length: 2 * tokens }, (_, i) => all[(i % tokens) * outputs + Math.floor(i / tokens)] as number);
    return this.model.logSoftmax(ends, tokens);
  }

  /** The state that the labels are read from: the first token's, or the mean. */
  private first(states: Float32Array, tokens: number): Float32Array {
    return this.reading.mean ? pooled("mean", states, tokens) : states.subarray(0, states.length / tokens);
  }

  private labels(row: Float32Array): Candidate[] {
    return this.model.largest(row, LABELS).map((id) => ({ token: this.reading.labels[id] as string, probability: Math.exp(row[id] as number), id: null }));
  }

  private nearest(states: Float32Array, tokens: number): Near[] {
    const { sentences } = this.reading;
    this.everyday ??= sentences.map((text) => {
      const ids = this.encode(text);
      return this.vector(this.model.readText(ids), ids.length);
    });
    const own = this.vector(states, tokens);
    const found = this.everyday.map((vector, i) => ({ text: sentences[i] as string, cosine: product(vector, own) }));
    return found.sort((one, other) => other.cosine - one.cosine);
  }

  /** A text as one vector, of length one. */
  private vector(states: Float32Array, tokens: number): Float32Array {
    const found = pooled(this.reading.vector as string, states, tokens);
    const length = Math.max(Math.sqrt(product(found, found)), 1e-12);
    return found.map((value) => value / length);
  }
}

/** The states of a text's tokens, (tokens, d_model), as one. */
function pooled(kind: string, states: Float32Array, tokens: number): Float32Array {
  const width = states.length / tokens;
  if (kind === "cls") return states.subarray(0, width);
  return Float32Array.from({ length: width }, (_, i) => {
    const column = Array.from({ length: tokens }, (__, at) => states[at * width + i] as number);
    return kind === "max" ? Math.max(...column) : column.reduce((sum, value) => sum + value, 0) / tokens;
  });
}
