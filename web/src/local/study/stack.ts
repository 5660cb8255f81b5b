/** A stack of layers that keeps what it computed: the states between its layers, and what attention read. */
import type { Config, ModelFile, Side } from "../config";
import { attend, type Attention, type Edit, type Inputs } from "../layers/attention";
import { embedding } from "../layers/embeddings";
import { Linear } from "../layers/linear";
import { norm, type Norm } from "../layers/norm";
import { Layer } from "../layers/transformer";
import type { Memory } from "../model";
import type { Weights } from "../weights";

export interface Attended {
  tap: string;
  attention: Attention;
  inputs: Inputs;
  output: Float32Array; // of the heads, side by side
}

/** One layer's part of a run. */
export interface Passed {
  before: Float32Array; // (tokens, d_model)
  after: Float32Array;
  own: Attended;
  cross: Attended | null;
}

export class Stack {
  readonly layers: Layer[];
  private readonly embed;

  constructor(readonly weights: Weights, readonly config: Config, readonly side: Side) {
    this.embed = embedding(weights, side, config);
    this.layers = Array.from({ length: config[`${side}_layers`] }, (_, i) => new Layer(weights, this.name(i), config, side));
  }

  run(ids: readonly number[], memory: Memory | null = null, edit: Edit | null = null): Passed[] {
    let x = this.embed(ids, ids.map((_, i) => i));
    const sees = this.side === "decoder" ? (query: number, key: number) => key <= query : null;
    return this.layers.map((layer, i) => {
      let [own, cross] = [null as Attended | null, null as Attended | null];
      const before = x;
      x = layer.run(
        before,
        ids.length,
        (query, key, value) => {
          own = { tap: this.name(i, "self"), attention: layer.own, inputs: { query, key, value }, output: attend({ query, key, value }, layer.own.heads, ids.length, sees, edit, this.name(i, "self")) };
          return own.output;
        },
        memory && ((query) => {
          const attention = layer.cross as Attention;
          const inputs = { query, ...(memory.layers[i] as Memory["layers"][number]) };
          cross = { tap: this.name(i, "cross"), attention, inputs, output: attend(inputs, attention.heads, memory.length, null, edit, this.name(i, "cross")) };
          return cross.output;
        }),
      );
      return { before, after: x, own: own as unknown as Attended, cross };
    });
  }

  name(layer: number, part = ""): string {
    return `${this.side}.layers.${layer}${part && `.${part}`}`;
  }

  norm(name: string): Norm {
    return norm(this.weights, name, this.config);
  }

  linear(name: string, biased = true): Linear {
    return new Linear(this.weights, `${name}.weight`, biased ? `${name}.bias` : "");
  }
}

/** One row of a matrix that is stored row by row. */
export const rowOf = (values: Float32Array, row: number, width: number): Float32Array => values.subarray(row * width, (row + 1) * width);

/** The settings of a model whose layers add up. Throws for one that normalizes sums. */
export function preNorm({ config, info: { name } }: ModelFile): Config {
  if (config.norm === "pre") return config;
  throw new Error(`${name} normalizes behind its layers, so they have no terms that add up here; use \`regard studio ${name}\`.`);
}
