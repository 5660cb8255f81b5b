/** Self-attention, cross-attention in a decoder, feed-forward: each is added to its input. */
import type { Activation, Config, Side } from "../config";
import type { Weights } from "../weights";
import { Attention } from "./attention";
import { Linear } from "./linear";
import { norm, type Norm } from "./norm";

/** Query, key and value of new positions → the heads' outputs. */
export type SelfAttend = (query: Float32Array, key: Float32Array, value: Float32Array) => Float32Array;
/** Queries → the heads' outputs, over the memory's keys and values. */
export type CrossAttend = (query: Float32Array) => Float32Array;

export class Layer {
  readonly own: Attention;
  readonly cross: Attention | null;
  private readonly norms: { own: Norm; cross: Norm | null; feedForward: Norm };
  private readonly feedForward: (x: Float32Array, count: number) => Float32Array;
  private readonly first: boolean; // the normalization comes first: pre-norm

  constructor(weights: Weights, name: string, config: Config, side: Side) {
    const decodes = side === "decoder";
    this.first = config.norm === "pre";
    this.own = new Attention(weights, `${name}.self_attention`, config, side);
    this.cross = decodes ? new Attention(weights, `${name}.cross_attention`, config, side) : null;
    this.feedForward = feedForward(weights, `${name}.feed_forward`, config);
    this.norms = {
      own: norm(weights, `${name}.self_attention_norm`, config),
      cross: decodes ? norm(weights, `${name}.cross_attention_norm`, config) : null,
      feedForward: norm(weights, `${name}.feed_forward_norm`, config),
    };
  }

  /** `count` vectors → as many; how they attend to each other and to the memory is passed in. */
  run(x: Float32Array, count: number, own: SelfAttend, cross: CrossAttend | null): Float32Array {
    const { own: attention } = this;
    x = this.added(x, this.norms.own, (h) => {
      const attended = own(attention.query.run(h, count), attention.key.run(h, count), attention.value.run(h, count));
      return attention.output.run(attended, count);
    });
    const { cross: other } = this;
    if (other && cross && this.norms.cross)
      x = this.added(x, this.norms.cross, (h) => other.output.run(cross(other.query.run(h, count)), count));
    return this.added(x, this.norms.feedForward, (h) => this.feedForward(h, count));
  }

  private added(x: Float32Array, normalize: Norm, f: (h: Float32Array) => Float32Array): Float32Array {
    const y = f(this.first ? normalize(x) : x);
    addTo(y, x);
    return this.first ? y : normalize(y);
  }
}

function addTo(y: Float32Array, x: Float32Array): void {
  for (let i = 0; i < y.length; i++) y[i] = (y[i] as number) + (x[i] as number);
}

/** f(x W₁ + b₁) W₂ + b₂, or gated, (f(x W_g + b_g) ⊙ (x W₁ + b₁)) W₂ + b₂. */
function feedForward(weights: Weights, name: string, config: Config) {
  const linear = (part: string) => new Linear(weights, `${name}.${part}.weight`, `${name}.${part}.bias`);
  const [inner, outer] = [linear("inner"), linear("outer")];
  const gate = weights.has(`${name}.gate.weight`) ? linear("gate") : null;
  const activate = ACTIVATIONS[config.activation];
  return (x: Float32Array, count: number): Float32Array => {
    const hidden = inner.run(x, count);
    if (gate) {
      const open = gate.run(x, count);
      for (let i = 0; i < hidden.length; i++) hidden[i] = (hidden[i] as number) * activate(open[i] as number);
    } else if (config.activation === "relu") rectify(hidden);
    else for (let i = 0; i < hidden.length; i++) hidden[i] = activate(hidden[i] as number);
    return outer.run(hidden, count);
  };
}

function rectify(x: Float32Array): void {
  for (let i = 0; i < x.length; i++) if ((x[i] as number) < 0) x[i] = 0;
}

const ACTIVATIONS: Record<Activation, (x: number) => number> = {
  relu: (x) => (x > 0 ? x : 0),
  silu: (x) => x / (1 + Math.exp(-x)),
  gelu_tanh: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
};
