/** f(x W₁ + b₁) W₂ + b₂, or gated, (f(x W_g + b_g) ⊙ (x W₁ + b₁)) W₂ + b₂. */
import type { Activation, Config } from "../config";
import type { Weights } from "../weights";
import { Linear } from "./linear";

export function feedForward(weights: Weights, name: string, config: Config) {
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
