/** The lessons on the trained translator, as `regard.studio.trained` answers them. */
import type { Inside, InsideRequest, Lesson, LessonRequest, NextRequest, NextWord } from "../../source";
import type { Writer } from "../writer";
import { explained, geometry } from "./attention";
import { at, product, type Matrix } from "./plane";
import { normed } from "../trace/stream";
import { checkPreNorm, passed, projected, rowOf, type Attended } from "./passed";
import { LONGEST, split } from "./words";

const SHOWN = 12; // of the next word's candidates

/** A sentence as the encoder reads it, and which word each token is of. */
function read(translator: Writer, text: string) {
  const ids = translator.encode(text);
  if (ids.length > LONGEST) throw new Error(`An explanation shows at most ${LONGEST} tokens; got ${ids.length}: shorten the sentence.`);
  const { tokens, words: spans } = translator.reads(ids);
  const words: (number | null)[] = tokens.map(() => null);
  (spans ?? []).forEach(([first, end], word) => words.fill(word, first, end));
  return { ids, tokens, words };
}

function tokenOf(words: readonly (number | null)[], word: number): number {
  const token = words.indexOf(word);
  if (token < 0) throw new Error(`There are words 0 to ${Math.max(0, ...words.map((each) => each ?? 0))}; got ${word}.`);
  return token;
}

/** What passed through the encoder, and one layer's attention. */
function encoded(translator: Writer, ids: readonly number[], layer: number) {
  const { decoding, file: { config } } = translator;
  if (!(layer < config.encoder_layers)) throw new Error(`There are layers 0 to ${config.encoder_layers - 1}; got ${layer}.`);
  const { states, attended } = passed(translator, { source: [...ids], target: [decoding.start_id], without: [], looks: [] }, "encoder");
  return { states, own: attended.get(`encoder.layers.${layer}.self`) as Attended };
}

/** Every step of the encoder's self-attention. */
export function lessonOfEncoder(translator: Writer, { text, layer: wanted = 0, head = 0, spotlight = null }: LessonRequest): Lesson {
  const { ids, tokens, words } = read(translator, text);
  const { states, own } = encoded(translator, ids, wanted);
  const { name: tap, heads, dim, scale } = own.tap;
  const rows = (values: Float32Array): Matrix => ids.map((_, i) => [...rowOf(values, i, values.length / ids.length)]);
  const [query, key, value] = ["query", "key", "value"].map((name) => split(rows(own.inputs[name as "query"]), heads)) as [Matrix[], Matrix[], Matrix[]];
  const formula = scale === 1 ? "q·k" : `q·k / √${Math.round(scale ** -2)}`;
  const explanation = explained(translator.model, {
    tokens, vectors: rows(states[wanted] as Float32Array), positions: null, query, key, value, score: "dot", factor: scale, sees: () => true,
    settings: { source: translator.file.info.name, tap, formula, heads, head_dim: dim, temperature: 1 },
  });
  const arrows = spotlight === null ? null : geometry(explanation, head, tokenOf(words, spotlight));
  return { explanation, geometry: arrows, words, stand_ins: {}, dimensions: translator.file.config.d_model };
}

/** A word's vector through the layers of the encoder, and the parts of one of them. */
export function inside(translator: Writer, request: InsideRequest): Inside {
  const { ids, tokens, words } = read(translator, request.text);
  const token = tokenOf(words, request.word);
  checkPreNorm(translator.file);
  const { states, own } = encoded(translator, ids, request.layer);
  const { weights, file: { config } } = translator;
  const { d_model: width } = config;
  const depths = states.map((state) => {
    const own = rowOf(state, token, width);
    return { cosines: ids.map((_, i) => cosine(own, rowOf(state, i, width))), unchanged: cosine(own, rowOf(states[0] as Float32Array, token, width)) };
  });
  const name = `encoder.layers.${request.layer}`;
  const one = (depth: number) => rowOf(states[depth] as Float32Array, token, width);
  const [x, after] = [one(request.layer), one(request.layer + 1)];
  const attended = projected(weights, `${name}.self_attention.output`, rowOf(own.output, token, own.output.length / ids.length));
  const sum = x.map((value, i) => value + at(attended, i));
  const tidy = normed(weights, config, `${name}.feed_forward_norm`, sum);
  const parts: [string, Float32Array][] = [
    ["x", x],
    ["norm_1", normed(weights, config, `${name}.self_attention_norm`, x)],
    ["attention", attended],
    ["sum_1", sum],
    ["norm_2", tidy],
    ["feed_forward", after.map((value, i) => value - at(sum, i))],
    ["sum_2", after],
  ];
  const inner = projected(weights, `${name}.feed_forward.inner`, tidy);
  return { tokens, words, token, depths, parts: parts.map(part), active: inner.filter((value) => value > 0).length, units: inner.length };
}

function part([name, values]: [string, Float32Array]): Inside["parts"][number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return { name, vector: [...values], mean, deviation };
}

export function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  return product(one, other) / Math.max(Math.sqrt(product(one, one) * product(other, other)), 1e-30);
}

/** The likeliest next tokens at one step of the translation, and the chance to draw each. */
export function next(translator: Writer, { text, step: wanted = 0, temperature = 1, top_k, top_p = 1 }: NextRequest): NextWord {
  const { info, run } = translator.trace({ model: translator.file.info.name, text });
  const steps = info.generation?.steps ?? [];
  const step = Math.min(wanted, steps.length - 1);
  const { model: engine } = translator;
  const logits = engine.logits(rowOf(translator.read(run), step, translator.file.config.d_model), 1);
  const cut = engine.narrowed(logits, { temperature, top_k: top_k ?? 0, top_p });
  const [logs, drawn] = [logits, cut].map((each) => engine.logSoftmax(each, each.length)[0] as Float32Array) as [Float32Array, Float32Array];
  const best = engine.largest(logits, SHOWN);
  const candidates = best.map((id) => ({
    token: translator.name(id, "target"),
    logit: at(logits, id),
    probability: Math.exp(at(logs, id)),
    chance: Math.exp(at(drawn, id)),
  }));
  return {
    output: steps.map(({ token }) => token),
    step,
    candidates,
    vocabulary: logits.length,
    possible: cut.filter((value) => value > -Infinity).length,
    rest: Math.max(0, 1 - candidates.reduce((sum, { chance }) => sum + chance, 0)),
  };
}
