/** A Transformer of encoder and decoder: a text read at once, its answer whole or word by word. */
import type { Config } from "./config";
import { attend, type Edit, type Inputs, type Listener, type Sees } from "./layers/attention";
import { embedding, type Embedding } from "./layers/embeddings";
import { Layer } from "./layers/transformer";
import { atStep } from "./trace/off";
import { Linear } from "./layers/linear";
import { norm, type Norm } from "./layers/norm";
import type { Weights } from "./weights";

/** Memory of the source for a decoder: keys and values for the cross-attention of each layer. */
export interface Memory {
  length: number;
  layers: { key: Float32Array; value: Float32Array }[];
}

const causal: Sees = (query, key) => key <= query;
const counted = (count: number) => Array.from({ length: count }, (_, i) => i);

export class Model {
  readonly vocabulary: number;
  private readonly embed: { encoder: Embedding; decoder: Embedding };
  private readonly layers: { encoder: Layer[]; decoder: Layer[] };
  private readonly last: { encoder: Norm | null; decoder: Norm | null };
  private readonly output: Linear;

  constructor(readonly config: Config, weights: Weights) {
    const layers = (side: "encoder" | "decoder") =>
      counted(config[`${side}_layers`]).map((i) => new Layer(weights, `${side}.layers.${i}`, config, side));
    const last = (side: string) => (config.norm === "pre" ? norm(weights, `${side}.norm`, config) : null);
    this.embed = { encoder: embedding(weights, "encoder", config), decoder: embedding(weights, "decoder", config) };
    this.layers = { encoder: layers("encoder"), decoder: layers("decoder") };
    this.last = { encoder: last("encoder"), decoder: last("decoder") };
    const own = weights.has("output.weight");
    this.output = new Linear(weights, own ? "output.weight" : "decoder.embed.tokens.weight", "logits_bias");
    this.vocabulary = this.output.outputs;
  }

  /** Names of all attention layers, with their number of heads. */
  taps() {
    const { encoder, decoder } = this.layers;
    const tap = (side: "encoder" | "decoder", kind: "self" | "cross", layer: number) => ({
      name: `${side}.layers.${layer}.${kind}`,
      side,
      kind,
      layer,
      attention: (kind === "cross" ? this.layers[side][layer]?.cross : this.layers[side][layer]?.own) as Layer["own"],
    });
    return [
      ...encoder.map((_, i) => tap("encoder", "self", i)),
      ...decoder.flatMap((_, i) => [tap("decoder", "self", i), tap("decoder", "cross", i)]),
    ];
  }

  encode(ids: readonly number[], edit: Edit | null = null, listener: Listener | null = null): Memory {
    const { length } = ids;
    let x = this.embed.encoder(ids, counted(length));
    this.layers.encoder.forEach((layer, i) => {
      const tap = `encoder.layers.${i}.self`;
      x = layer.run(x, length, (query, key, value) => watched(tap, { query, key, value }, layer, length, null, edit, listener), null);
    });
    const states = this.last.encoder ? this.last.encoder(x) : x;
    const layers = this.layers.decoder.map(({ cross }) => ({
      key: (cross as Layer["own"]).key.run(states, length),
      value: (cross as Layer["own"]).value.run(states, length),
    }));
    return { length, layers };
  }

  /** Logits after every one of the ids, (ids, vocabulary). */
  read(ids: readonly number[], memory: Memory, edit: Edit | null = null, listener: Listener | null = null): Float32Array {
    const { length } = ids;
    let x = this.embed.decoder(ids, counted(length));
    this.layers.decoder.forEach((layer, i) => {
      const own = `decoder.layers.${i}.self`;
      const cross = `decoder.layers.${i}.cross`;
      const source = memory.layers[i] as Memory["layers"][number];
      x = layer.run(
        x,
        length,
        (query, key, value) => watched(own, { query, key, value }, layer, length, causal, edit, listener),
        (query) => watched(cross, { query, ...source }, layer, memory.length, null, edit, listener),
      );
    });
    return this.logits(x, length);
  }

  /** A decode that has read nothing yet, of one hypothesis. */
  start(memory: Memory, edit: Edit | null = null): Decode {
    return new Decode(this, this.embed.decoder, this.layers.decoder, memory, edit);
  }

  logits(x: Float32Array, count: number): Float32Array {
    const states = this.last.decoder ? this.last.decoder(x) : x;
    const { output_scale: scale } = this.config;
    return this.output.run(scale === 1 ? states : states.map((value) => value * scale), count);
  }
}

function watched(
  tap: string,
  inputs: Inputs,
  layer: Layer,
  keys: number,
  sees: Sees | null,
  edit: Edit | null,
  listener: Listener | null,
): Float32Array {
  listener?.(tap, inputs);
  const { heads } = tap.endsWith("cross") ? (layer.cross as Layer["own"]) : layer.own;
  return attend(inputs, heads, keys, sees, edit, tap);
}

/** Keys and values of the positions that one hypothesis has read, in one layer. */
class Cache {
  private key: Float32Array;
  private value: Float32Array;

  constructor(private length: number, room: number, from?: Cache) {
    [this.key, this.value] = [new Float32Array(room), new Float32Array(room)];
    if (!from) return;
    this.key.set(from.key.subarray(0, length));
    this.value.set(from.value.subarray(0, length));
  }

  append(key: Float32Array, value: Float32Array): { key: Float32Array; value: Float32Array } {
    const end = this.length + key.length;
    if (end > this.key.length) {
      const larger = new Cache(this.length, 2 * end, this);
      [this.key, this.value] = [larger.key, larger.value];
    }
    this.key.set(key, this.length);
    this.value.set(value, this.length);
    this.length = end;
    return { key: this.key, value: this.value };
  }

  copy(): Cache {
    return new Cache(this.length, this.key.length, this);
  }
}

/** Hypotheses that grow by a token each at every step. */
export class Decode {
  private read = 0; // tokens of each hypothesis
  private caches: Cache[][]; // of each hypothesis, one for each layer

  constructor(
    private readonly model: Model,
    private readonly embed: Embedding,
    private readonly layers: Layer[],
    private readonly memory: Memory,
    private readonly edit: Edit | null,
  ) {
    this.caches = [layers.map(() => new Cache(0, 16 * model.config.d_model))];
  }

  /** A token for each hypothesis → the next one's logits, (hypotheses, vocabulary). */
  step(tokens: readonly number[]): Float32Array {
    const { length: count } = tokens;
    let x = this.embed(tokens, tokens.map(() => this.read));
    const edit = atStep(this.edit, this.read);
    this.read += 1;
    this.layers.forEach((layer, i) => {
      const { heads } = layer.own;
      const width = heads.count * heads.dim;
      const own = (query: Float32Array, key: Float32Array, value: Float32Array) => {
        const output = new Float32Array(query.length);
        for (let row = 0; row < count; row++) {
          const at = (values: Float32Array) => values.subarray(row * width, (row + 1) * width);
          const cache = (this.caches[row] as Cache[])[i] as Cache;
          output.set(attend({ query: at(query), ...cache.append(at(key), at(value)) }, heads, this.read, null, edit, `decoder.layers.${i}.self`), row * width);
        }
        return output;
      };
      const source = this.memory.layers[i] as Memory["layers"][number];
      const cross = (query: Float32Array) =>
        attend({ query, ...source }, (layer.cross as Layer["own"]).heads, this.memory.length, null, edit, `decoder.layers.${i}.cross`);
      x = layer.run(x, count, own, cross);
    });
    return this.model.logits(x, count);
  }

  /** Keeps, repeats or reorders hypotheses, by their numbers. */
  select(rows: readonly number[]): void {
    const taken = new Set<number>();
    this.caches = rows.map((row) => {
      const found = this.caches[row] as Cache[];
      if (!taken.has(row)) {
        taken.add(row);
        return found;
      }
      return found.map((cache) => cache.copy());
    });
  }
}
