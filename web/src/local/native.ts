/** The native engine in WebAssembly: the calls that the page needs of engine/interface.h, and what passes inside. */
import type { Side } from "./config";
import { ATTENTION, CONFIG, CROSS, INTERFACE, NUMBERS, SELF, STATES, TENSOR, type Functions } from "./interface";
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

export interface Listener {
  attention?(passing: Passing): void;
  /** States of the residual stream, where they are, when so many layers of a stack have run. */
  states?(side: Side, layer: number, rows: readonly Float32Array[]): void;
}

/** Likeliest tokens of each row, (rows, best), and their log-probabilities. */
export interface Ranked {
  ids: Int32Array;
  logs: Float32Array;
}

/** Tokens that each hypothesis reads. */
export type Rows = readonly (readonly number[])[];

/** What the library has for the page alone. */
interface Calls extends Functions {
  _initialize(): void;
  regard_allocate(bytes: number): number;
  regard_free(place: number): void;
  regard_listen_page(listens: number): void;
}
type Numbers = Int32Array | Float32Array | Uint8Array;

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

  /** A decode of one source, empty of a decoder alone, of one hypothesis that has read nothing yet. */
  begin(source: readonly number[]): number {
    const decode = this.calls.regard_begin(this.model, 1);
    const number = new Int32Array(1);
    this.into([number], [Int32Array.from(source)], (out, ids) => this.calls.regard_add(decode, ids, 1n, BigInt(source.length), out));
    return decode;
  }

  /** Tokens for each hypothesis → the logits of the next one. */
  step(decode: number, rows: Rows): Float32Array {
    const logits = new Float32Array(rows.length * this.outputs);
    this.into([logits], read(rows), (out, text, tokens, lengths) => this.calls.regard_step(decode, text, 1, tokens, lengths, rows.length, out, 0, 0, 0));
    return logits;
  }

  /** The same → the likeliest next ones. */
  likeliest(decode: number, rows: Rows, best: number): Ranked {
    const [logs, ids] = [new Float32Array(rows.length * best), new Int32Array(rows.length * best)];
    this.into([logs, ids], read(rows), (out, found, text, tokens, lengths) =>
      this.calls.regard_step(decode, text, 1, tokens, lengths, rows.length, 0, best, out, found));
    return { logs, ids };
  }

  /** The same for what passes inside. */
  pass(decode: number, rows: Rows): void {
    this.into([], read(rows), (text, tokens, lengths) => this.calls.regard_step(decode, text, 1, tokens, lengths, rows.length, 0, 0, 0, 0));
  }

  /** Keeps, repeats or reorders hypotheses, by their numbers; of none, one begins again. */
  select(decode: number, rows: readonly number[]): void {
    this.into([], [Int32Array.from(rows)], (chosen) => this.calls.regard_select(decode, 0, chosen, rows.length));
  }

  end(decode: number): void {
    this.calls.regard_end(decode);
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
  private into(outputs: readonly (Float32Array | Int32Array)[], inputs: readonly Numbers[], run: (...places: number[]) => number): void {
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
    const floats = new Float32Array(this.memory.buffer);
    const side = of_decoder ? "decoder" : "encoder";
    const slice = (from: number, row: number, stride: number, head: number) => floats.subarray(from / 4 + row * stride + head * step, from / 4 + row * stride + head * step + dim);
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

const read = (rows: Rows): Int32Array[] => [Int32Array.of(0), Int32Array.from(rows.flat()), Int32Array.from(rows, (each) => each.length)];

export function compiled(code: BufferSource | WebAssembly.Module): WebAssembly.Module {
  if (code instanceof WebAssembly.Module) return code;
  try {
    return new WebAssembly.Module(code);
  } catch {
    throw new Error("This browser lacks the SIMD or the exceptions of WebAssembly; open the page in a current Chromium or Firefox.");
  }
}
