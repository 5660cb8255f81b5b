/** Invented traces: words, taps and a translation, without a model. */
import type { AxisInfo, TapInfo, TraceInfo, TraceRequest } from "../source";

export const WIDTH = 16; // of a head
export const HEADS = 4;
const LAYERS = 3;
export const EXAMPLE = "Two men are standing at the stove and preparing food .";
const TARGET = "Zwei Männer stehen am Herd und bereiten Essen zu .";

/** A number in (-1, 1) that depends on nothing but its arguments. */
export function noise(...seeds: number[]): number {
  let hash = 2166136261;
  for (const seed of seeds) hash = Math.imul(hash ^ (seed * 2654435761), 16777619) ^ (hash >>> 13);
  return ((hash >>> 0) / 2 ** 32) * 2 - 1;
}

export function word(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) | 0, 7);
}

function axis(text: string, predicts: boolean, prompt: number): AxisInfo {
  const tokens: string[] = [];
  const words: [number, number][] = [];
  const sentences: [number, number][] = [];
  let start = 0;
  for (const each of text.split(/\s+/).filter(Boolean)) {
    const from = tokens.length;
    if (each.length > 7) tokens.push(`▁${each.slice(0, 5)}`, each.slice(5));
    else tokens.push(`▁${each}`);
    words.push([from, tokens.length]);
    if (/[.!?]$/.test(each)) {
      sentences.push([start, tokens.length]);
      start = tokens.length;
    }
  }
  if (predicts) {
    tokens.unshift("<s>");
    for (const span of [...words, ...sentences]) {
      span[0] += 1;
      span[1] += 1;
    }
    words.unshift([0, 1]);
    if (sentences[0]) sentences[0][0] = 0;
  } else {
    words.push([tokens.length, tokens.length + 1]);
    tokens.push("</s>");
  }
  const last = sentences[sentences.length - 1];
  if (last) last[1] = tokens.length;
  else sentences.push([0, tokens.length]);
  return { tokens, words, sentences, prompt, predicts: predicts ? [...tokens.slice(1), "</s>"] : null };
}

export function describe(request: TraceRequest): TraceInfo {
  const long = Number(/^long (\d+)$/.exec(request.text)?.[1] ?? 0);
  const text = long ? Array.from({ length: long - 1 }, (_, i) => `w${i % 97}`).join(" ") : request.text;
  const source = axis(text, false, 0);
  const target = axis(long ? TARGET : (request.target ?? (text === EXAMPLE ? TARGET : text)), true, 1);
  const taps: TapInfo[] = [];
  const add = (side: "encoder" | "decoder", kind: "self" | "cross", layer: number) => {
    const rows = side === "encoder" ? source : target;
    const columns = side === "encoder" || kind === "cross" ? source : target;
    taps.push({
      name: `${side}.layers.${layer}.${kind}`,
      side,
      kind,
      layer,
      heads: HEADS,
      key_heads: HEADS,
      head_dim: WIDTH,
      rows: rows.tokens.length,
      columns: columns.tokens.length,
      queries: side === "encoder" ? "source" : "target",
      keys: side === "encoder" || kind === "cross" ? "source" : "target",
      causal: side === "decoder" && kind === "self",
      score: "q·k / √16",
      quantities: ["weight", "norm", "score"],
      notes: [],
    });
  };
  for (let layer = 0; layer < LAYERS; layer++) add("encoder", "self", layer);
  for (let layer = 0; layer < LAYERS; layer++) add("decoder", "self", layer);
  for (let layer = 0; layer < LAYERS; layer++) add("decoder", "cross", layer);
  const steps = (target.predicts ?? []).map((token, i) => {
    const probability = 0.62 + 0.35 * Math.abs(noise(i, 3));
    const rest = 1 - probability;
    return {
      token,
      probability,
      candidates: [
        { token, probability },
        ...["▁ein", "▁der", "▁und", "▁die"].map((other, j) => ({ token: other, probability: rest * 0.5 ** (j + 1) })),
      ],
    };
  });
  return {
    id: `fake-${(word(JSON.stringify(request)) >>> 0).toString(16)}`,
    model: request.model,
    task: "translation",
    text,
    axes: { source, target },
    taps,
    receipt: { row_sum_error: 1.2e-7, difference: 8.9e-8, rows: 64, dtype: "float32" },
    generation: {
      axis: "target",
      steps,
      hypotheses: [
        { text: TARGET, tokens: target.tokens.slice(1), score: -0.41, finished: true },
        {
          text: TARGET.replace("stehen am", "sind an dem"),
          tokens: axis(TARGET.replace("stehen am", "sind an dem"), false, 0).tokens,
          score: -0.78,
          finished: true,
        },
        {
          text: TARGET.replace("Zwei Männer", "Zwei Leute"),
          tokens: axis(TARGET.replace("Zwei Männer", "Zwei Leute"), false, 0).tokens,
          score: -1.02,
          finished: true,
        },
      ],
      shown: request.hypothesis ?? 0,
      unsure_below: 0,
    },
    can_ablate: true,
    can_rewrite: true,
    by_text: true,
    notes: [],
  };
}
