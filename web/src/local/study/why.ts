/** Why a word was written: lens, direct attribution and measures, as `regard.inspection.attribution` has them. */
import type { Attribution, Lens, Measures } from "../../source";
import { attend, type Inputs } from "../layers/attention";
import { logSoftmax } from "../search/numbers";
import { likeliest } from "../trace/ablation";
import { tapMaps } from "../trace/maps";
import { atStep, editOf } from "../trace/off";
import type { Run, Translator } from "../translator";
import { cosine } from "./inside";
import { at, product } from "./plane";
import { preNorm, rowOf, Stack, type Attended, type Passed } from "./stack";

type Contribution = Attribution["contributions"][number];
type Name = Measures["measures"][number]["name"];

/** The decoder's run over what was written. */
function decoded(translator: Translator, run: Run) {
  const stack = new Stack(translator.weights, translator.file.config, "decoder");
  const edit = editOf(run);
  const passed = stack.run(translator.begun(run), translator.model.encode(run.source, edit), edit);
  const width = translator.file.config.d_model;
  const states = [(passed[0] as Passed).before, ...passed.map(({ after }) => after)];
  return { stack, edit, passed, width, states };
}

/** The likeliest tokens of a step after each layer, and how likely the written one is there. */
export function lens(translator: Translator, run: Run, step: number): Lens {
  const { states, width } = decoded(translator, run);
  const name = (id: number) => translator.name(id, "target");
  const id = written(run, step);
  const layers = states.map((state, layer) => {
    const logs = logSoftmax(translator.model.logits(rowOf(state, step, width).slice(), 1));
    const rank = 1 + logs.reduce((above, value) => above + Number(value > at(logs, id)), 0);
    return { layer, probability: Math.exp(at(logs, id)), rank, candidates: likeliest(logs, name) };
  });
  return { step, token: name(id), layers };
}

/** The terms that add up to a logit, or to its difference from another token's; the last norm keeps its scale. */
export function attribution(translator: Translator, run: Run, step: number, against: number | null): Attribution {
  const { stack, passed, width, states } = decoded(translator, run);
  preNorm(translator.file);
  const id = written(run, step);
  const last = rowOf(states.at(-1) as Float32Array, step, width).slice();
  const logits = translator.model.logits(last, 1);
  const logit = at(logits, id) - (against === null ? 0 : at(logits, against));
  const direction = pulled(translator, last, id, against);
  const state = rowOf(states[0] as Float32Array, step, width);
  const contributions: Contribution[] = [{ kind: "embedding", layer: null, tap: null, head: null, value: product(state, direction) }];
  passed.forEach(({ before, after, own, cross }, layer) => {
    const rest = rowOf(after, step, width).map((value, i) => value - at(rowOf(before, step, width), i));
    for (const each of cross ? [own, cross] : [own]) {
      const name = `${stack.name(layer)}.${each === own ? "self" : "cross"}_attention.output`;
      const { count, dim } = each.attention.heads;
      const heads = rowOf(each.output, step, count * dim);
      const alone = new Float32Array(count * count * dim); // a row for each head, the others zero
      for (let head = 0; head < count; head++) alone.set(heads.subarray(head * dim, (head + 1) * dim), head * (count + 1) * dim);
      const mixed = stack.linear(name, false).run(alone, count);
      for (let head = 0; head < count; head++)
        contributions.push({ kind: "head", layer, tap: each.tap, head, value: product(rowOf(mixed, head, width), direction) });
      each.attention.output.run(heads.slice(), 1).forEach((value, i) => (rest[i] = at(rest, i) - value));
    }
    contributions.push({ kind: "feed_forward", layer, tap: null, head: null, value: product(rest, direction) });
  });
  const bias = logit - contributions.reduce((sum, { value }) => sum + value, 0);
  const name = (of: number) => translator.name(of, "target");
  return { step, token: name(id), against: against === null ? null : name(against), logit, contributions: [...contributions, { kind: "bias", layer: null, tap: null, head: null, value: bias }] };
}

/** The direction of the last state in which the logit grows, while the last norm's scale stays. */
function pulled({ weights, file: { config } }: Translator, last: Float32Array, id: number, against: number | null): Float64Array {
  const matrix = weights.matrix(weights.has("output.weight") ? "output.weight" : "decoder.embed.tokens.weight");
  const rows = [weights.row(matrix, id), against === null ? null : weights.row(matrix, against)];
  const gain = weights.vector("decoder.norm.weight");
  const mean = config.norm_kind === "layer" ? last.reduce((sum, value) => sum + value, 0) / last.length : 0;
  const square = last.reduce((sum, value) => sum + (value - mean) ** 2, 0) / last.length;
  const factor = config.output_scale / Math.sqrt(square + config.norm_eps);
  const direction = Float64Array.from(gain, (value, i) => value * factor * (at(rows[0] as Float32Array, i) - (rows[1] ? at(rows[1], i) : 0)));
  const middle = config.norm_kind === "layer" ? direction.reduce((sum, value) => sum + value, 0) / direction.length : 0;
  return direction.map((value) => value - middle);
}

/** Importance of each token of an axis for a step, by all measures but the gradient's. */
export function measures(translator: Translator, run: Run, step: number, axis: string): Measures {
  const { stack, edit, passed, width } = decoded(translator, run);
  const layers = passed.map(({ own, cross }) => (axis === "source" ? cross : own) as Attended);
  const tokens = (axis === "source" ? translator.reads(run.source).tokens : translator.begun(run).map((id) => translator.name(id, "target")).slice(0, step + 1));
  const places = tokens.map((_, i) => i);
  const mean = (of: (layer: number, key: number) => number) => places.map((key) => layers.reduce((sum, _, layer) => sum + of(layer, key), 0) / layers.length);

  const heads = layers.map(({ tap, inputs, attention }) =>
    tapMaps(tap, inputs, attention, edit).heads.map(({ weights }) => rowOf(weights, step, weights.length / run.target.length).map((value) => value || 0)));
  const norms = layers.map(({ inputs: { value }, attention }, layer) => {
    const { count, dim } = attention.heads;
    const weighted = value.slice(0, tokens.length * count * dim).map((each, i) => each * at(heads[layer]?.[Math.floor(i / dim) % count] ?? [], Math.floor(i / (count * dim))));
    const name = `${stack.name(layer)}.${axis === "source" ? "cross" : "self"}_attention.output`;
    const mixed = stack.linear(name, false).run(weighted, tokens.length);
    return places.map((key) => Math.sqrt(product(rowOf(mixed, key, width), rowOf(mixed, key, width))));
  });
  const row = (values: Float32Array, of: Attended) => rowOf(values, step, of.attention.heads.count * of.attention.heads.dim).slice();
  const atRow = atStep(edit, step);
  const zeroed = layers.map((changed, layer) => {
    const { before, after, own, cross } = passed[layer] as Passed;
    const again = (key: number) => {
      const { count, dim } = changed.attention.heads;
      const value = changed.inputs.value.slice().fill(0, key * count * dim, (key + 1) * count * dim);
      const attended = (of: Attended, query: Float32Array, keys: number, edited = of.inputs) => attend({ ...edited, query }, of.attention.heads, keys, null, atRow, of.tap);
      const inputs: Inputs = { ...changed.inputs, value };
      return (stack.layers[layer] as Stack["layers"][number]).run(
        rowOf(before, step, width).slice(), 1,
        () => (changed === own ? attended(own, row(own.inputs.query, own), step + 1, inputs) : row(own.output, own)),
        cross && ((query) => attended(cross, query, run.source.length, changed === cross ? inputs : cross.inputs)),
      );
    };
    return places.map((key) => 1 - cosine(again(key), rowOf(after, step, width)));
  });
  const p = (without: readonly string[]) => Math.exp(at(translator.logits({ ...run, without })[step] as Float32Array, written(run, step)));
  const before = p(run.without);
  const hidden = places.map((key) => p([...run.without, axis === "source" ? String(key) : `${axis}:${key}`]) - before);
  const sizes = hidden.map(Math.abs);
  const found: [Name, number[]][] = [
    ["weight", mean((layer, key) => (heads[layer] ?? []).reduce((sum, each) => sum + at(each, key) / (heads[layer]?.length ?? 1), 0))],
    ["norm", mean((layer, key) => at(norms[layer] ?? [], key))],
    ["value_zeroing", mean((layer, key) => at(zeroed[layer] ?? [], key))],
    ["hiding", hidden],
  ];
  return {
    step, axis, tokens,
    token: translator.name(written(run, step), "target"),
    measures: found.map(([name, values]) => ({ name, values, correlation: name === "hiding" ? null : spearman(values, sizes) })),
  };
}

function written({ target }: Run, step: number): number {
  if (!(step >= 0 && step < target.length)) throw new Error(`step must be from 0 to ${target.length - 1}; got ${step}.`);
  return target[step] as number;
}

/** Spearman's rank correlation; null for fewer than three numbers, or where all of a list are equal. */
export function spearman(one: readonly number[], other: readonly number[]): number | null {
  const [a, b] = [one, other].map((values) =>
    values.map((value) => values.reduce((rank, each) => rank + Number(each < value) + Number(each === value) / 2, 0) - values.length / 2)) as [number[], number[]];
  const scale = Math.sqrt(product(a, a) * product(b, b));
  return one.length > 2 && scale > 0 ? product(a, b) / scale : null;
}
