/** The native engine in WebAssembly: the calls that the page needs of engine/interface.h, and what passes inside. */
import type { Decoding, Side } from "./config";
import { ATTENTION, CONFIG, CROSS, EARLY_STOPPING, GENERATION, HYPOTHESES, INTERFACE, NUMBERS, SELF, STATES, TENSOR, type Functions } from "./interface";
import { structAt, structsOf, type Fields } from "./structs";
import type { Tensors } from "./weights";

/** Input of one attention, all heads side by side: q is (rows, width), k and v (columns, width), repeated for the heads that share them. */
export interface Inputs {
  query: Float32Array;
  key: Float32Array;
  value: Float32Array;
}

/** One attention while it runs. */
export interface Passing {
  tap: string;
  rows: number;
  heads: number;
  inputs(): Inputs;
  output(row: number, head: number): Float32Array; // where it is: what is written there takes its place
}

export interface Hypothesis {
  tokens: number[]; // after the start; the end of the sentence is included
  score: number; // Σ log p / length ^ length_penalty
  finished: boolean; // false: cut off at max_new_tokens, or where it repeats itself
}

/** Settings of a draw, those of `GenerationConfig`. */
export interface Sampling {
  temperature: number;
  top_k: number; // 0: every token
  top_p: number;
  seed: number;
}

export interface Listener {
  attention?(passing: Passing): void;
  /** States of the residual stream, where they are, when so many layers of a stack have run. */
  states?(side: Side, layer: number, rows: readonly Float32Array[]): void;
}

/** What the library has for the page alone. */
interface Calls extends Functions {
  _initialize(): void;
  regard_allocate(bytes: number): number;
  regard_free(place: number): void;
  regard_listen_page(listens: number): void;
}
type Numbers = Int32Array | Float32Array | Float64Array | Uint8Array;

const [FLOATS, BYTES] = [NUMBERS.indexOf("float32"), NUMBERS.indexOf("int8")];
const ROOM = 5; // that an open model takes beside its int8 weights while it is opened, in their size

export class Native {
  private readonly calls: Calls;
  private readonly memory: WebAssembly.Memory;
  outputs = 0; // of the head: words of the target, or what it reads for
  private width = 0; // d_model
  private model = 0;
  private listener: Listener | null = null;
  private failure: { error: unknown } | null = null; // of the listener

  /** `code`: the library, as wasm32.wasm. */
  constructor(code: BufferSource | WebAssembly.Module) {
    const nothing = new Proxy({}, { get: () => () => 0 }); // it asks the system for nothing
    const page = { listen: (place: number) => this.listened(place) };
    const { exports } = new WebAssembly.Instance(compiled(code), { wasi_snapshot_preview1: nothing, page });
    [this.calls, this.memory] = [exports as unknown as Calls, exports["memory"] as WebAssembly.Memory];
    this.calls._initialize();
    const version = this.calls.regard_interface();
    if (version !== INTERFACE) throw new Error(`The engine of this page must have the interface ${INTERFACE}, and has ${version}; save the page again.`);
  }

  /** Opens a model, in place of the one before: its regard_config, its tensors in `content`, and tables beside them. */
  open(settings: Uint8Array, tensors: Tensors, content: Uint8Array, tables: Record<string, Float32Array>): void {
    this.calls.regard_close(this.model);
    this.calls.regard_free(this.calls.regard_allocate(ROOM * content.length)); // at once: whenever memory grows, garbage is collected
    const data = this.copied(content);
    const floats = (name: string, at: number, rows: number, columns: number) => ({ name, at, rows, columns, numbers: FLOATS });
    const entries = Object.entries(tensors).flatMap(([name, place]) =>
      "rows" in place
        ? [{ ...place, name, at: data + place.at, numbers: BYTES }, floats(`${name}.scales`, data + place.scales, 1, place.rows)]
        : [floats(name, data + place.at, 1, place.length)]);
    const places = [data];
    const config = structAt(CONFIG, settings.buffer);
    [this.outputs, this.width] = [config.head_outputs || config.target_vocab_size, config.d_model];
    for (const [name, values] of Object.entries(tables)) {
      places.push(this.copied(values));
      entries.push(floats(name, places.at(-1) as number, values.length / this.width, this.width));
    }
    const all = entries.map(({ name, at, rows, columns, numbers }) => {
      places.push(this.copied(new TextEncoder().encode(`${name}\0`)));
      return { name: places.at(-1) as number, data: at, rows, columns, numbers };
    });
    this.model = this.placed([settings, structsOf(TENSOR, all)], (config, each) => this.calls.regard_open(config, each, all.length, 0));
    for (const place of places) this.calls.regard_free(place);
    if (!this.model) throw this.refusal();
  }

  /** Calls `run`, which is listened to. */
  listening<Result>(listener: Listener | null, run: () => Result): Result {
    const before = this.listener;
    this.listener = listener;
    this.calls.regard_listen_page(Number(listener !== null));
    try {
      return run();
    } finally {
      this.listener = before;
      this.calls.regard_listen_page(Number(before !== null));
    }
  }

  /** The decoder's last states, (target, d_model), as it reads a target beside its source. */
  read(source: readonly number[], target: readonly number[]): Float32Array {
    const states = new Float32Array(target.length * this.width);
    this.into([states], [Int32Array.from(source), Int32Array.from(target)], (out, from, to) =>
      this.calls.regard_read_pair(this.model, from, BigInt(source.length), to, BigInt(target.length), 1, out));
    return states;
  }

  /** Last states, (tokens, d_model), of a text that is read by itself. */
  readText(ids: readonly number[]): Float32Array {
    const states = new Float32Array(ids.length * this.width);
    this.into([states], [Int32Array.from(ids), Int32Array.from(ids.keys()), Int32Array.of(ids.length)], (out, tokens, places, lengths) =>
      this.calls.regard_read_texts(this.model, tokens, places, 0, BigInt(ids.length), lengths, 1n, 1, out));
    return states;
  }

  /** The same, (positions, d_model), of an image: its patches. */
  readImage(patches: Float32Array, positions: number): Float32Array {
    const states = new Float32Array(positions * this.width);
    this.into([states], [patches], (out, from) => this.calls.regard_read_images(this.model, from, 1n, 1, out));
    return states;
  }

  /** ‖∂ log p / ∂x ⊙ x‖ of the embedding x of each token of a source, empty of a decoder, and of what is written; p is a token's behind a position. */
  gradient(source: readonly number[], target: readonly number[], position: number, token: number): [Float32Array, Float32Array] {
    const found: [Float32Array, Float32Array] = [new Float32Array(source.length), new Float32Array(target.length)];
    this.into(found, [Int32Array.from(source), Int32Array.from(target)], (ofSource, ofTarget, from, to) =>
      this.calls.regard_gradient(this.model, from, BigInt(source.length), to, BigInt(target.length), BigInt(position), token, ofSource, ofTarget));
    return found;
  }

  /** Logits of last states, (rows, outputs). */
  logits(states: Float32Array, rows: number): Float32Array {
    const logits = new Float32Array(rows * this.outputs);
    this.into([logits], [states], (out, from) => this.calls.regard_head(this.model, from, BigInt(rows), 1, out));
    return logits;
  }

  /** Log-probabilities of logits, (rows, count): each row's. */
  logSoftmax(logits: Float32Array, count: number): Float32Array[] {
    const found = new Float32Array(logits.length);
    this.into([found], [logits], (out, from) => this.calls.regard_log_softmax(from, BigInt(logits.length / count), BigInt(count), out, 0, 0));
    return Array.from({ length: logits.length / count }, (_, row) => found.subarray(row * count, (row + 1) * count));
  }

  /** The places of the k largest numbers, best first; of equals the first. */
  largest(values: Float32Array, k: number): number[] {
    const places = new Int32Array(k);
    this.into([places], [values], (out, from) => this.calls.regard_log_softmax(from, 1n, BigInt(values.length), 0, k, out));
    return [...places].filter((place) => place >= 0);
  }

  /** Scores, (rows, columns), −∞ where they are masked → their weights, in the same place; and each row's log Σ exp(score). */
  softmax(scores: Float64Array, rows: number): Float64Array {
    const lse = new Float64Array(rows);
    this.into([scores, lse], [], (at, sums) => this.calls.regard_softmax(at, BigInt(rows), BigInt(scores.length / rows), sums));
    return lse;
  }

  /** Logits from which a token is drawn: −∞ where it is not. */
  narrowed(logits: Float32Array, { temperature, top_k, top_p }: Omit<Sampling, "seed">): Float32Array {
    const found = logits.slice();
    this.into([found], [], (at) => this.calls.regard_narrow(at, BigInt(found.length), temperature, top_k, top_p));
    return found;
  }

  /** The numbers in [0, 1) by which a text is drawn. */
  draws(seed: number, length: number): Float64Array {
    const found = new Float64Array(length);
    this.into([found], [], (out) => this.calls.regard_draws(BigInt(seed), 0n, BigInt(length), out));
    return found;
  }

  /** A search of the engine, of one source or, of a decoder alone, from one prompt; what it finds begins with the tokens of `beginning`, and ends where it repeats itself if it is to be `cut`. */
  openSearch(ids: readonly number[], decoding: Decoding, beginning: readonly number[], sampling: Sampling | null, cut: boolean): number {
    const { eos_ids, forbidden_ids, early_stopping, forced_bos_id, forced_eos_id, renormalized, num_beams } = decoding;
    const lists = [eos_ids, beginning, forbidden_ids, forbidden_ids.map(() => 1)].map((each) => Int32Array.from(each));
    const search = new Int32Array(1);
    this.placed(lists, (ends, forced, words, lengths) => {
      const { start_id, max_new_tokens, min_new_tokens, length_penalty } = decoding;
      const settings = structsOf(GENERATION, [{
        start_id, max_new_tokens, min_new_tokens, num_beams, length_penalty, alternatives: num_beams, repetition_penalty: 1,
        early_stopping: EARLY_STOPPING.indexOf(early_stopping === "never" ? early_stopping : early_stopping ? "yes" : "no"),
        renormalize_logits: Number(renormalized), cut_repetition: Number(cut),
        forced_bos_token_id: forced_bos_id ?? -1, forced_eos_token_id: forced_eos_id ?? -1,
        eos_ids: ends, eos_count: eos_ids.length, forced_beginning: forced, beginning_count: beginning.length,
        bad_words: words, bad_word_lengths: lengths, bad_word_count: forbidden_ids.length,
        ...(sampling && { do_sample: 1, ...sampling }),
      }]);
      this.into([search], [Int32Array.from(ids), settings], (out, from, config) => this.calls.regard_search_open(this.model, from, 1n, BigInt(ids.length), config, 1, num_beams, out));
    });
    return search[0] as number;
  }

  /** A step of a search; true when it is over. */
  runSearch(search: number): boolean {
    const done = new Int32Array(2); // of 64 bits
    this.into([done], [], (out) => this.calls.regard_search_run(search, 0, out));
    return done[0] === 1;
  }

  /** What it has found, best first; before it is over, what is there so far. */
  readSearch(search: number): Hypothesis[] {
    const bytes = structsOf(HYPOTHESES, [{}]);
    this.into([bytes], [], (out) => this.calls.regard_search_read(search, out));
    const found = structAt(HYPOTHESES, bytes.buffer);
    const { buffer } = this.memory;
    const [scores, finished] = [new Float32Array(buffer, found.scores, found.hypotheses), new Int32Array(buffer, found.finished, found.hypotheses)];
    let end = 0;
    return Array.from(new Int32Array(buffer, found.lengths, found.hypotheses), (length, i) => {
      end += length;
      return { tokens: [...new Int32Array(buffer, found.ids + 4 * (end - length), length)], score: scores[i] as number, finished: finished[i] === 1 };
    });
  }

  closeSearch(search: number): void {
    this.calls.regard_search_close(search);
  }

  private copied(numbers: Numbers): number {
    const place = this.calls.regard_allocate(numbers.byteLength || 1);
    if (!place) throw new Error("This browser has no memory left for the model; close other tabs and reload the page.");
    new Uint8Array(this.memory.buffer).set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), place);
    return place;
  }

  /** Calls `run` with the places of these numbers, which are there until it returns. */
  private placed<Result>(numbers: readonly Numbers[], run: (...places: number[]) => Result): Result {
    const places = numbers.map((each) => this.copied(each));
    try {
      return run(...places);
    } finally {
      for (const place of places) this.calls.regard_free(place);
    }
  }

  /** The same for a call that writes the first of them and gives a status. */
  private into(outputs: readonly Numbers[], inputs: readonly Numbers[], run: (...places: number[]) => number): void {
    this.placed([...outputs, ...inputs], (...places) => {
      const status = run(...places);
      const { failure } = this;
      this.failure = null;
      if (failure) throw failure.error;
      if (status) throw this.refusal();
      outputs.forEach((each, i) => new Uint8Array(each.buffer).set(new Uint8Array(this.memory.buffer, places[i], each.byteLength)));
    });
  }

  private refusal(): Error {
    const bytes = new Uint8Array(this.memory.buffer, this.calls.regard_error());
    return new Error(`The model cannot run in this page: ${new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)))}.`);
  }

  /** Tells the listener of a regard_attention; an answer other than 0 stops the engine. */
  private listened(place: number): number {
    try {
      this.tell(structAt(ATTENTION, this.memory.buffer, place));
      return 0;
    } catch (error) {
      this.failure = { error };
      return 1;
    }
  }

  private tell(what: Fields<typeof ATTENTION>): void {
    const { kind, of_decoder, layer, heads, head_dim: dim, head_width: step, queries: rows, keys: columns } = what;
    let floats = new Float32Array(this.memory.buffer);
    const side = of_decoder ? "decoder" : "encoder";
    const slice = (from: number, row: number, stride: number, head: number) => {
      if (!floats.length) floats = new Float32Array(this.memory.buffer); // the listener has made it grow
      return floats.subarray(from / 4 + row * stride + head * step, from / 4 + row * stride + head * step + dim);
    };
    if (kind === STATES) {
      this.listener?.states?.(side, layer, Array.from({ length: rows }, (_, row) => slice(what.output, row, what.output_stride, 0)));
      return;
    }
    if (kind !== SELF && kind !== CROSS) return;
    const shared = heads / what.key_heads; // queries' heads that have the same key
    const joined = (from: number, count: number, stride: number, group: number) => {
      const found = new Float32Array(count * heads * dim);
      for (let row = 0; row < count; row++) for (let head = 0; head < heads; head++) found.set(slice(from, row, stride, Math.floor(head / group)), (row * heads + head) * dim);
      return found;
    };
    const turned = () => {
      const found = new Float32Array(columns * heads * dim);
      for (let head = 0; head < heads; head++)
        for (let i = 0; i < dim; i++) {
          const from = what.key / 4 + (Math.floor(head / shared) * step + i) * what.key_stride;
          for (let at = 0; at < columns; at++) found[(at * heads + head) * dim + i] = floats[from + at] as number;
        }
      return found;
    };
    this.listener?.attention?.({
      tap: `${side}.layers.${layer}.${kind === CROSS ? "cross" : "self"}`,
      rows,
      heads,
      inputs: () => ({ query: joined(what.query, rows, what.query_stride, 1), key: turned(), value: joined(what.value, columns, what.value_stride, shared) }),
      output: (row, head) => slice(what.output, row, what.output_stride, head),
    });
  }
}

export function compiled(code: BufferSource | WebAssembly.Module): WebAssembly.Module {
  if (code instanceof WebAssembly.Module) return code;
  try {
    return new WebAssembly.Module(code);
  } catch {
    throw new Error("This browser lacks the SIMD or the exceptions of WebAssembly; open the page in a current Chromium or Firefox.");
  }
}
