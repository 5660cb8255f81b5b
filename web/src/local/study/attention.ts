/** Attention step by step over a few vectors, and its planes: `regard.course.explanation` in the page. */
import { matrixOf } from "../../learn/pictures/rows";
import type { Explanation, Geometry, LessonRequest } from "../../source";
import type { Native } from "../native";
import { principal, product, at, times, type Matrix } from "./plane";

type Score = NonNullable<LessonRequest["score"]>;
type Points = [number, number][];

/** What one layer computes from: q, k and v of each head, (tokens, head_dim). */
export interface Setup {
  tokens: string[];
  settings: Explanation["settings"];
  vectors: Matrix;
  positions: Matrix | null; // added to the vectors already
  query: Matrix[];
  key: Matrix[];
  value: Matrix[];
  score: Score;
  factor: number; // of q·k
  sees(query: number, key: number): boolean;
}

export const FORMULAS: Record<Score, string> = { dot: "q·k", scaled_dot: "q·k / √", cosine: "cos(q, k)", gaussian: "-|q - k|² / (2h²)", average: "0" };
const TINY = 1e-30;

export function explained(engine: Native, { tokens, settings, vectors, positions, query, key, value, score, factor, sees }: Setup): Explanation {
  const masked = query.map((rows, head) =>
    rows.map((q, i) => (key[head] as Matrix).map((k, j) => (sees(i, j) ? scored(score, q, k, factor) / settings.temperature : null))));
  const weights = masked.map((rows) => softmaxed(engine, rows));
  const attended = weights.map((rows, head) => times(rows, value[head] as Matrix));
  const step = (name: string, values: (number | null)[][][], per_head = true) => ({ name, per_head, values });
  const steps = [
    step("vectors", [vectors], false),
    ...(positions ? [step("positions", [positions], false)] : []),
    step("query", query),
    step("key", key),
    step("value", value),
    step("masked", masked),
    step("weights", weights),
    step("attended", attended),
  ];
  return { tokens, key_tokens: tokens, settings, steps };
}

function softmaxed(engine: Native, scores: (number | null)[][]): Matrix {
  const weights = Float64Array.from(scores.flat(), (score) => score ?? -Infinity);
  engine.softmax(weights, scores.length);
  const { length } = weights;
  return scores.map((_, i) => [...weights.subarray((i * length) / scores.length, ((i + 1) * length) / scores.length)]);
}

function scored(score: Score, q: number[], k: number[], factor: number): number {
  if (score === "average") return 0;
  if (score === "gaussian") return -q.reduce((sum, value, i) => sum + (value - at(k, i)) ** 2, 0) / 2;
  if (score === "cosine") return product(q, k) / Math.max(Math.sqrt(product(q, q) * product(k, k)), TINY);
  return factor * product(q, k);
}

/** The planes of embeddings, of query and key, and of values, each through its origin, of one head. */
export function geometry(explanation: Explanation, head: number, spotlight: number): Geometry {
  const of = (name: string) => (matrixOf(explanation, name, head) ?? []) as Matrix;
  const embedding = of("positions").length ? of("positions") : of("vectors");
  const planes = [
    plane("embeddings", { embedding }),
    plane("query and key", { query: of("query"), key: of("key") }),
    plane("value", { value: of("value"), attended: of("attended").slice(spotlight, spotlight + 1) }),
  ];
  const weights = of("weights")[spotlight] ?? [];
  const path: Points = [[0, 0]];
  (planes[2]?.arrows["value"] ?? []).forEach(([x, y], i) => {
    const [left, top] = path[i] as Points[number];
    path.push([left + at(weights, i) * x, top + at(weights, i) * y]);
  });
  return { head, spotlight, token: explanation.tokens[spotlight] ?? "", planes, weights, path };
}

/** The plane in which the arrows are longest; a space of two is its own plane. */
function plane(name: string, spaces: Record<string, Matrix>): Geometry["planes"][number] {
  const every = Object.values(spaces).flat();
  const width = every[0]?.length ?? 0;
  const own = Array.from({ length: width }, (_, i) => [Number(i === 0), Number(i === 1)]);
  const onto = width > 2 ? principal(every, 2) : own;
  const size = (rows: Matrix) => rows.reduce((sum, row) => sum + product(row, row), 0);
  const total = size(every);
  const arrows = Object.fromEntries(Object.entries(spaces).map(([arrow, rows]) => [arrow, times(rows, onto) as Points]));
  return { name, kept: width > 2 && total ? size(times(every, onto)) / total : 1, arrows };
}
