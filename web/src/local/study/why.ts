/** Why a word was written: lens, direct attribution and measures, as `regard.inspection.attribution` has them. */
import type { Attribution, Lens, Measures } from "../../source";
import type { Listener } from "../native";
import { likeliest } from "../trace/ablation";
import { tapMaps } from "../trace/maps";
import { editOf } from "../trace/off";
import type { Run } from "../model";
import type { Writer } from "../writer";
import { cosine } from "./inside";
import { read, spread } from "../trace/stream";
import { checkPreNorm, passed, projected, rowOf, type Attended } from "./passed";
import { at, product } from "./plane";

type Contribution = Attribution["contributions"][number];
type Name = Measures["measures"][number]["name"];

/** The likeliest tokens of a step after each layer, and how likely the written one is there. */
export function lens(writer: Writer, run: Run, step: number): Lens {
  const { weights, file: { config } } = writer;
  const name = (id: number) => writer.entry(id, run);
  const id = written(run, step);
  const position = writer.row(run, step);
  const layers = passed(writer, run, "decoder").states.map((state, layer) => {
    const logits = writer.model.logits(read(weights, config, rowOf(state, position, config.d_model)), 1);
    const [logs] = writer.model.logSoftmax(logits, logits.length) as [Float32Array];
    const rank = 1 + logs.reduce((above, value) => above + Number(value > at(logs, id)), 0);
    return { layer, probability: Math.exp(at(logs, id)), rank, candidates: likeliest(writer.model, logs, name) };
  });
  return { step, token: name(id), layers };
}

/** The terms that add up to a logit, or to its difference from another token's; the last norm keeps its scale. */
export function attribution(writer: Writer, run: Run, step: number, against: number | null): Attribution {
  checkPreNorm(writer.file);
  const { d_model: width, decoder_layers } = writer.file.config;
  const { states, attended } = passed(writer, run, "decoder");
  const id = written(run, step);
  const position = writer.row(run, step);
  const state = (layer: number) => rowOf(states[layer] as Float32Array, position, width);
  const direction = pulled(writer, state(decoder_layers), id, against);
  const logits = writer.model.logits(rowOf(writer.read(run), position, width), 1);
  const logit = at(logits, id) - (against === null ? 0 : at(logits, against));
  const contributions: Contribution[] = [{ kind: "embedding", layer: null, tap: null, head: null, value: product(state(0), direction) }];
  for (let layer = 0; layer < decoder_layers; layer++) {
    let rest = product(state(layer + 1), direction) - product(state(layer), direction);
    for (const { tap, output } of [...attended.values()].filter((each) => each.tap.layer === layer)) {
      const { name, heads, dim } = tap;
      const own = rowOf(output, position, heads * dim);
      const along = turned(writer, `${name}_attention.output.weight`, direction);
      for (let head = 0; head < heads; head++)
        contributions.push({ kind: "head", layer, tap: name, head, value: product(rowOf(own, head, dim), along.subarray(head * dim)) });
      rest -= product(projected(writer.weights, `${name}_attention.output`, own), direction);
    }
    contributions.push({ kind: "feed_forward", layer, tap: null, head: null, value: rest });
  }
  const bias = logit - contributions.reduce((sum, { value }) => sum + value, 0);
  const name = (of: number) => writer.entry(of, run);
  return { step, token: name(id), against: against === null ? null : name(against), logit, contributions: [...contributions, { kind: "bias", layer: null, tap: null, head: null, value: bias }] };
}

/** A direction of the stream, (d_model), as one of what a projection reads. */
function turned({ weights }: Writer, name: string, direction: Float64Array): Float64Array {
  const matrix = weights.matrix(name);
  const found = new Float64Array(matrix.columns);
  direction.forEach((along, row) => weights.row(matrix, row).forEach((weight, i) => (found[i] = at(found, i) + along * weight)));
  return found;
}

/** The direction of the last state in which the logit grows, while the last norm's scale stays. */
function pulled({ weights, file: { config } }: Writer, last: Float32Array, id: number, against: number | null): Float64Array {
  const matrix = weights.matrix(weights.has("output.weight") ? "output.weight" : "decoder.embed.tokens.weight");
  const rows = [weights.row(matrix, id), against === null ? null : weights.row(matrix, against)];
  const gain = weights.vector("decoder.norm.weight");
  const factor = config.output_scale * spread(last, config).scale;
  const direction = Float64Array.from(gain, (value, i) => value * factor * (at(rows[0] as Float32Array, i) - (rows[1] ? at(rows[1], i) : 0)));
  const middle = config.norm_kind === "layer" ? direction.reduce((sum, value) => sum + value, 0) / direction.length : 0;
  return direction.map((value) => value - middle);
}

/** Importance of each token of an axis for a step, by every measure; that of gradients is known where nothing is changed. */
export function measures(writer: Writer, run: Run, step: number, axis: string): Measures {
  const { weights, file: { config: { d_model: width } } } = writer;
  const edit = editOf(run, writer.taps);
  const whole = passed(writer, run, "decoder");
  const layers = [...whole.attended.values()].filter(({ tap }) => tap.keys === axis);
  const [position, rows] = [writer.row(run, step), writer.sequence(run)];
  const tokens = run.said?.[axis]?.slice(0, axis === "source" ? undefined : position + 1) ?? (axis === "source" ? writer.reads(run.source).tokens : writer.names(rows, "target").slice(0, position + 1));
  const places = tokens.map((_, i) => i);
  const mean = (of: (layer: number, key: number) => number) => places.map((key) => layers.reduce((sum, _, layer) => sum + of(layer, key), 0) / layers.length);

  const heads = layers.map(({ tap, inputs }) =>
    tapMaps(writer.model, tap, inputs, edit).maps.map((map) => rowOf(map.weights, position, map.weights.length / rows.length).map((value) => value || 0)));
  /** What a layer's heads take from a key, side by side. */
  const taken = ({ tap, inputs: { value } }: Attended, layer: number, key: number) =>
    rowOf(value, key, tap.heads * tap.dim).map((each, i) => each * at(heads[layer]?.[Math.floor(i / tap.dim)] ?? [], key));
  const norms = layers.map((each, layer) => places.map((key) => {
    const mixed = projected(weights, `${each.tap.name}_attention.output`, taken(each, layer, key), false);
    return Math.sqrt(product(mixed, mixed));
  }));
  const zeroed = places.map((key) => {
    const found: number[] = [];
    const listener: Listener = {
      attention: ({ tap, heads: count, output }) => {
        const layer = layers.findIndex((each) => each.tap.name === tap);
        if (layer < 0) return;
        const { dim } = (layers[layer] as Attended).tap;
        const lost = taken(layers[layer] as Attended, layer, key);
        for (let head = 0; head < count; head++) {
          const row = output(position, head);
          row.forEach((value, i) => (row[i] = value - at(lost, head * dim + i)));
        }
      },
      states: (side, layer, passing) => {
        if (side !== "decoder") return;
        const own = whole.states[layer] as Float32Array;
        if (layer) found.push(1 - cosine(passing[position] as Float32Array, rowOf(own, position, width)));
        passing.forEach((row, i) => row.set(rowOf(own, i, width))); // each layer reads what it read
      },
    };
    writer.read(run, listener);
    return found;
  });
  const p = (without: readonly string[]) => Math.exp(at(writer.logits({ ...run, without })[step] as Float32Array, written(run, step)));
  const before = p(run.without);
  const hidden = places.map((key) => p([...run.without, axis === "target" ? `${axis}:${key}` : String(key)]) - before);
  const sizes = hidden.map(Math.abs);
  const found: [Name, number[]][] = [
    ["weight", mean((layer, key) => (heads[layer] ?? []).reduce((sum, each) => sum + at(each, key) / (heads[layer]?.length ?? 1), 0))],
    ["norm", mean((layer, key) => at(norms[layer] ?? [], key))],
    ["value_zeroing", mean((layer, key) => at(zeroed[key] ?? [], layer))],
    ["hiding", hidden],
  ];
  if (!edit) {
    const gradient = writer.model.gradient(writer.pairs ? run.source : [], rows, position, written(run, step))[axis === "source" ? 0 : 1];
    found.splice(2, 0, ["gradient", [...gradient.subarray(0, tokens.length)]]);
  }
  return {
    step, axis, tokens,
    token: writer.entry(written(run, step), run),
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
