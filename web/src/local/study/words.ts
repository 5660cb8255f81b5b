/** A lesson's sentence by the static vectors of its words: `regard.course.explanation.sentence.explain_words` in the page. */
import { wordsOf } from "../../learn/words";
import { PLAIN } from "../../learn/settings";
import type { Lesson, LessonRequest } from "../../source";
import type { Native } from "../native";
import { normalize } from "../text/normalize";
import { explained, FORMULAS, geometry } from "./attention";
import { at, times, type Matrix } from "./plane";
import type { WordTable } from "./table";

export const LONGEST = 64; // tokens that anyone reads the numbers of

export function lessonOfWords(engine: Native, request: LessonRequest, table: WordTable): Lesson {
  const { score, mask, window, temperature, heads, head_dim, positions, projections, spotlight, head } = { ...PLAIN, window: 2, spotlight: null, ...request };
  const words = wordsOf(normalize(request.text).replaceAll("’", "'"));
  if (!words.length) throw new Error("There is nothing to explain: the sentence has no word; give one.");
  if (words.length > LONGEST) throw new Error(`A lesson shows at most ${LONGEST} words; this text has ${words.length}: shorten it.`);
  const { name: source, dim } = table;
  const size = head_dim ?? Math.floor(dim / heads);
  const width = heads * size;
  if (!(width >= 1 && width <= dim)) throw new Error(`heads · head_dim must be from 1 to ${dim}, the dimensions of ${source}; got ${heads} · ${size}.`);

  const stand_ins: Record<string, string | null> = {};
  let vectors = words.map((word) => {
    const own = table.find(word);
    if (own) return own;
    const other = (stand_ins[word] = table.nearest(word));
    return (other === null ? null : table.find(other)) ?? Array<number>(dim).fill(0);
  });
  if (width < dim) vectors = times(vectors, table.directions(width));
  const x = positions ? vectors.map((row, i) => row.map((value, k) => value + sinusoid(i, k, width))) : vectors;
  const matrices = projections === "random" ? drawn(engine, width) : null;
  const [query, key, value] = [0, 1, 2].map((which) => split(matrices ? times(x, matrices[which] as Matrix) : x, heads)) as [Matrix[], Matrix[], Matrix[]];
  const explanation = explained(engine, {
    tokens: words,
    settings: { source, tap: null, formula: FORMULAS[score] + (score === "scaled_dot" ? size : ""), heads, head_dim: size, temperature },
    vectors, positions: positions ? x : null, query, key, value, score,
    factor: score === "scaled_dot" ? size ** -0.5 : 1,
    sees: (i, j) => mask === "none" || (j <= i + (mask === "causal" ? 0 : window) && (mask === "causal" || j >= i - window)),
  });
  const arrows = spotlight === null ? null : geometry(explanation, head, Math.min(spotlight, words.length - 1));
  return { explanation, geometry: arrows, words: words.map((_, i) => i), stand_ins, dimensions: dim };
}

/** (positions, heads · size) → a matrix for each head. */
export function split(x: Matrix, heads: number): Matrix[] {
  const size = (x[0]?.length ?? 0) / heads;
  return Array.from({ length: heads }, (_, head) => x.map((row) => row.slice(head * size, (head + 1) * size)));
}

/** Sine and cosine in turn (Vaswani et al. 2017, section 3.5). */
function sinusoid(position: number, k: number, width: number): number {
  const angle = position / 10_000 ** ((k - (k % 2)) / width);
  return k % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** Query, key and value of width × width, drawn once and for all: `random_projections`. */
function drawn(engine: Native, width: number): Matrix[] {
  const bound = Math.sqrt(6 / (2 * width));
  const draws = engine.draws(0, 3 * width * width);
  return [0, 1, 2].map((which) =>
    Array.from({ length: width }, (_, i) => Array.from({ length: width }, (__, j) => (2 * at(draws, (which * width + i) * width + j) - 1) * bound)));
}
