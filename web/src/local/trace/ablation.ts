/** Switching something off and looking at the output, as `regard.inspection.views.ablation` does it. */
import type { Ablation, AblationRequest, TapInfo, TraceInfo } from "../../source";
import type { Edit } from "../layers/attention";
import { largest } from "../search/numbers";

const CANDIDATES = 5;

/** The change that a request asks for. */
export function editOf(request: AblationRequest, taps: readonly TapInfo[]): Edit {
  const { what, tap, head, query, key } = request;
  if (what === "head") return { silences: (name, which) => name === tap && which === head };
  if (what === "edge") return { hides: (name, which, row, at) => name === tap && which === head && row === query && at === key };
  const axis = taps.find((each) => each.name === tap)?.keys;
  const own = new Map(taps.filter((each) => each.keys === axis).map((each) => [each.name, each.queries === axis]));
  return { hides: (name, _, row, at) => at === key && own.has(name) && !(own.get(name) && row === key) };
}

/** No position but their own sees these positions of the source. */
export function withoutSource(positions: ReadonlySet<number>): Edit {
  return {
    hides: (tap, _, query, key) => {
      if (!positions.has(key)) return false;
      return tap.startsWith("encoder") ? query !== key : tap.endsWith("cross");
    },
  };
}

/** Probabilities of every step before and after, (steps, vocabulary), and what was written → the answer. */
export function ablation(
  request: AblationRequest,
  info: TraceInfo,
  ids: readonly number[],
  before: readonly Float32Array[],
  after: readonly Float32Array[],
  name: (id: number) => string,
): Ablation {
  const changes = ids.map((id, i) => Math.abs((after[i]?.[id] ?? 0) - (before[i]?.[id] ?? 0)));
  const step = request.step ?? largest(changes, 1)[0] ?? 0;
  if (!(step >= 0 && step < ids.length)) throw new Error(`step must be from 0 to ${ids.length - 1}; got ${step}.`);
  const id = ids[step] as number;
  const [one, other] = [before[step] as Float32Array, after[step] as Float32Array];
  const [p, q] = [one[id] as number, other[id] as number];
  return {
    what: request.what,
    step,
    token: name(id),
    before: p,
    after: q,
    delta: q - p,
    candidates_before: likeliest(one, name),
    candidates_after: likeliest(other, name),
    note: noteOf(request, info),
  };
}

export function likeliest(probabilities: Float32Array, name: (id: number) => string) {
  return largest(probabilities, CANDIDATES).map((id) => ({ token: name(id), probability: probabilities[id] as number, id }));
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
