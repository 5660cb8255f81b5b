/** Greedy and beam search by the rules of `regard.generation`: the same candidates, scores and ends. */
import type { Decoding } from "../config";
import type { Ranked } from "../native";
import { largest, logSoftmax } from "./numbers";
import { drawn, narrowed, type Sampling } from "./sampling";

export interface Hypothesis {
  tokens: number[]; // after the start; the end of the sentence is included
  score: number; // Σ log p / length ^ length_penalty
  finished: boolean; // false: cut off at max_new_tokens
}

export type Search = Generator<readonly number[], Hypothesis[]>;

/** Hypotheses that grow by a token each: the logits of the next ones, or the likeliest of them. */
export interface Decoder {
  step(tokens: readonly number[]): Float32Array;
  likeliest(tokens: readonly number[], best: number): Ranked;
  select(rows: readonly number[]): void;
}

/** What a run gives at its end. */
export function ended<End>(run: Generator<unknown, End>): End {
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

interface Candidate {
  total: number; // Σ log p, as ranked
  parent: number;
  token: number;
}

interface Running {
  tokens: number[];
  total: number;
}

/** The best hypotheses, best first: num_beams of them at most. All begin with the tokens of `beginning`,
 * which cost what they cost the model. With `sampling` there is one, whose tokens are drawn. What the best has so far is
 * given at each step. With `cut` one ends that repeats itself. */
export function* search(decoder: Decoder, decoding: Decoding, beginning: readonly number[] = [], sampling: Sampling | null = null, cut = false): Search {
  const { num_beams: beams, max_new_tokens: limit, length_penalty: penalty } = decoding;
  const wanted = beams > 1 ? Math.max(2, 1 + decoding.eos_ids.length) * beams : 1;
  const found: Hypothesis[] = [];
  let running: Running[] = [{ tokens: [], total: 0 }];
  let read = [decoding.start_id];
  for (let length = 1; ; length++) {
    const candidates = extended(decoder, read, running, length, wanted, decoding, beginning[length - 1], sampling);
    const of = ({ parent, token }: Candidate) => [...(running[parent] as Running).tokens, token];
    const looks = cut && length >= Math.max(TOGETHER, decoding.min_new_tokens) && length % EVERY === 0;
    const ends = (each: Candidate) => length === limit || decoding.eos_ids.includes(each.token) || (looks && repeats(of(each)) > 0);
    candidates.slice(0, beams).filter(ends).forEach((each) => {
      if (each.total === -Infinity) return;
      const [tokens, finished] = [of(each), decoding.eos_ids.includes(each.token)];
      if (cut && !finished) tokens.splice(tokens.length - repeats(tokens));
      found.push({ tokens, score: each.total / length ** penalty, finished });
    });
    found.sort((one, other) => other.score - one.score);
    found.splice(beams);
    const open = candidates.filter((each) => !ends(each)).slice(0, beams);
    const best = open[0]?.total ?? -Infinity;
    if (settled(found, best / reachable(decoding, length) ** penalty, decoding)) break;
    const rows = open.map((each) => each.parent);
    if (!(rows.length === running.length && rows.every((row, i) => row === i))) decoder.select(rows);
    running = open.map((each) => ({ tokens: of(each), total: each.total }));
    read = open.map((each) => each.token);
    yield (running[0] as Running).tokens;
  }
  if (!found.length) throw new Error("The search found no text: every token was forbidden at some step.");
  return found;
}

const [TIMES, TOGETHER, LONGEST, EVERY] = [4, 16, 16, 8]; // of `regard.generation.repetition`

/** How many tokens at the end repeat what stands before them; 0 if they may. */
export function repeats(tokens: readonly number[]): number {
  const back = (at: number) => tokens[tokens.length - 1 - at];
  for (let period = 1; period <= Math.min(LONGEST, tokens.length / TIMES); period++) {
    let again = 0;
    while (again + period < tokens.length && back(again) === back(again + period)) again++;
    if (again + period >= Math.max(TOGETHER, TIMES * period)) return again;
  }
  return 0;
}

/** The likeliest extensions of all that runs, best first. */
function extended(decoder: Decoder, read: readonly number[], running: Running[], length: number, count: number, decoding: Decoding, only: number | undefined, sampling: Sampling | null): Candidate[] {
  if (only === undefined && !sampling && !filters(length, decoding)) {
    const { ids, logs } = decoder.likeliest(read, count);
    const all = [...ids].map((token, i) => {
      const parent = Math.floor(i / count);
      return { parent, token, total: Math.fround((running[parent] as Running).total + (logs[i] as number)) };
    });
    return best(all, count);
  }
  const logits = decoder.step(read);
  const size = logits.length / running.length;
  const each = running.flatMap(({ total }, parent) => {
    const own = logSoftmax(logits.subarray(parent * size, (parent + 1) * size));
    const scores = filtered(own.slice(), length, decoding, only, sampling);
    const tokens = sampling ? [drawn(scores, sampling.draws[length - 1] as number)] : largest(scores, count);
    return tokens.map((token) => {
      // A beam search sums what the settings leave; greedy search scores its choice by the model itself.
      const score = scores[token] === -Infinity ? -Infinity : ((decoding.num_beams > 1 ? scores : own)[token] as number);
      return { parent, token, total: Math.fround(total + score) };
    });
  });
  return best(each, count);
}

function best(all: Candidate[], count: number): Candidate[] {
  return all.sort((one, other) => other.total - one.total || one.parent - other.parent).slice(0, count);
}

/** True if the settings change anything at this step. */
function filters(length: number, decoding: Decoding): boolean {
  const { forbidden_ids, min_new_tokens, renormalized, forced_bos_id, forced_eos_id, max_new_tokens } = decoding;
  const forced = (length === 1 && forced_bos_id !== null) || (length === max_new_tokens && forced_eos_id !== null);
  return forbidden_ids.length > 0 || length <= min_new_tokens || renormalized || forced;
}

/** Log-probabilities with what the settings forbid at this step as minus infinity. */
function filtered(scores: Float32Array, length: number, decoding: Decoding, only: number | undefined, sampling: Sampling | null): Float32Array {
  for (const id of decoding.forbidden_ids) scores[id] = -Infinity;
  if (length <= decoding.min_new_tokens) for (const id of decoding.eos_ids) scores[id] = -Infinity;
  const first = length === 1 ? decoding.forced_bos_id : null;
  const forced = length === decoding.max_new_tokens ? (decoding.forced_eos_id ?? first) : first;
  if (forced !== null) {
    scores.fill(-Infinity);
    scores[forced] = 0; // it costs nothing
  }
  if (sampling) scores = narrowed(scores, sampling);
  if (only !== undefined) {
    const own = scores[only] as number;
    scores.fill(-Infinity);
    scores[only] = own === -Infinity ? 0 : own; // what the settings forbid costs nothing
  }
  return decoding.renormalized ? logSoftmax(scores) : scores;
}

function settled(found: Hypothesis[], best: number, { num_beams: beams, early_stopping: early }: Decoding): boolean {
  if (best === -Infinity) return true;
  if (found.length < beams) return false;
  return early === true || !(best > (found[beams - 1] as Hypothesis).score);
}

/** The length at which a running total is judged against finished scores: only "never" looks ahead. */
function reachable({ early_stopping: early, length_penalty: penalty, max_new_tokens: limit }: Decoding, length: number): number {
  return early === "never" && penalty > 0 ? limit : length;
}
