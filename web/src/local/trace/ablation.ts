/** Switching something off and looking at the output, as `regard.inspection.views.ablation` does it. */
import type { Ablation, AblationRequest, TraceInfo } from "../../source";
import type { Native } from "../native";

const CANDIDATES = 5;

/** Log-probabilities of every step before and after, (steps, vocabulary), and what was written → the answer. */
export function ablation(
  engine: Native,
  request: AblationRequest,
  info: TraceInfo,
  ids: readonly number[],
  before: readonly Float32Array[],
  after: readonly Float32Array[],
  name: (id: number) => string,
): Ablation {
  const of = (rows: readonly Float32Array[], i: number, id: number) => Math.exp(rows[i]?.[id] ?? 0);
  const changes = Float32Array.from(ids, (id, i) => Math.abs(of(after, i, id) - of(before, i, id)));
  const step = request.step ?? engine.largest(changes, 1)[0] ?? 0;
  if (!(step >= 0 && step < ids.length)) throw new Error(`step must be from 0 to ${ids.length - 1}; got ${step}.`);
  const id = ids[step] as number;
  const [one, other] = [before[step] as Float32Array, after[step] as Float32Array];
  const [p, q] = [of(before, step, id), of(after, step, id)];
  return {
    what: request.what,
    step,
    token: name(id),
    before: p,
    after: q,
    delta: q - p,
    candidates_before: likeliest(engine, one, name),
    candidates_after: likeliest(engine, other, name),
    note: noteOf(request, info),
  };
}

/** The likeliest tokens of a row of log-probabilities. */
export function likeliest(engine: Native, row: Float32Array, name: (id: number) => string) {
  return engine.largest(row, CANDIDATES).map((id) => ({ token: name(id), probability: Math.exp(row[id] as number), id }));
}

/** A token without the mark of a word's beginning. */
export function readable(token: string): string {
  return token.replace(/^[▁Ġ]+/, "") || token;
}

function noteOf({ what, tap, head, query, key }: AblationRequest, { taps, axes }: TraceInfo): string {
  const found = taps.find((each) => each.name === tap);
  const named = (axis: string | undefined, at: number) => readable(axes[axis ?? ""]?.tokens[at] ?? "");
  if (what === "head") return `${tap}: head ${head} adds nothing`;
  if (what === "edge") return `${tap}, head ${head}: “${named(found?.queries, query)}” no longer sees “${named(found?.keys, key)}”`;
  return `no other position sees “${named(found?.keys, key)}”, in any layer and head`;
}
