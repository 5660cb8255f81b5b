/** What a search gives; and one text that is written token by token, to be shown as it grows or drawn, by the rules of `regard.generation`. */
import type { Decoding } from "../config";
import { largest, logSumExp } from "./numbers";
import { drawn, narrowed, type Sampling } from "./sampling";

export interface Hypothesis {
  tokens: number[]; // after the start; the end of the sentence is included
  score: number; // Σ log p / length ^ length_penalty
  finished: boolean; // false: cut off at max_new_tokens
}

/** A search that goes on by a step each time, and gives what is there to be shown. */
export type Search = Generator<readonly number[], Hypothesis[]>;

/** What a run gives at its end. */
export function ended<End>(run: Generator<unknown, End>): End {
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

/** The text whose next token is the likeliest or, with `sampling`, drawn; the logits behind each token are those of `next`. It
 * begins with the tokens of `beginning`, which cost what they cost the model. With `cut` it ends where it repeats itself. */
export function* written(next: (token: number) => Float32Array, decoding: Decoding, beginning: readonly number[], sampling: Sampling | null, cut: boolean): Search {
  const { eos_ids, max_new_tokens: limit, length_penalty: penalty } = decoding;
  const tokens: number[] = [];
  for (let [token, total] = [decoding.start_id, 0]; ; yield tokens) {
    const logits = next(token);
    const given = beginning[tokens.length] ?? forced(tokens.length, decoding);
    token = given ?? chosen(allowed(logits, tokens.length, decoding), sampling, tokens.length);
    total = Math.fround(total + Math.fround((logits[token] as number) - logSumExp(logits)));
    tokens.push(token);
    const finished = eos_ids.includes(token);
    const { length } = tokens;
    const looks = cut && length >= Math.max(TOGETHER, decoding.min_new_tokens) && length % EVERY === 0;
    if (finished || length === limit || (looks && repeats(tokens) > 0)) return trimmed([{ tokens, score: total / length ** penalty, finished }], cut);
  }
}

function nothing(): never {
  throw new Error("The search found no text: every token was forbidden at some step.");
}

/** Hypotheses without what they say again and again, if they do; there must be some. */
export function trimmed(found: Hypothesis[], cut: boolean): Hypothesis[] {
  if (!found.length) nothing();
  return found.map((each) => (cut && !each.finished ? { ...each, tokens: each.tokens.slice(0, each.tokens.length - repeats(each.tokens)) } : each));
}

function chosen(scores: Float32Array, sampling: Sampling | null, step: number): number {
  const [best] = largest(scores, 1) as [number];
  if (scores[best] === -Infinity) nothing();
  return sampling ? drawn(narrowed(scores, sampling), sampling.draws[step] as number) : best;
}

/** Logits with what the settings forbid at a step as minus infinity. */
function allowed(logits: Float32Array, step: number, { forbidden_ids, min_new_tokens, eos_ids }: Decoding): Float32Array {
  const scores = logits.slice();
  for (const id of step < min_new_tokens ? [...forbidden_ids, ...eos_ids] : forbidden_ids) scores[id] = -Infinity;
  return scores;
}

function forced(step: number, { forced_bos_id, forced_eos_id, max_new_tokens }: Decoding): number | null {
  return (step === max_new_tokens - 1 ? forced_eos_id : null) ?? (step === 0 ? forced_bos_id : null);
}

const [TIMES, TOGETHER, LONGEST, EVERY] = [4, 16, 16, 8]; // of `regard.generation.repetition`

/** How many tokens at the end repeat what stands before them; 0 if they may. */
function repeats(tokens: readonly number[]): number {
  const back = (at: number) => tokens[tokens.length - 1 - at];
  for (let period = 1; period <= Math.min(LONGEST, tokens.length / TIMES); period++) {
    let again = 0;
    while (again + period < tokens.length && back(again) === back(again + period)) again++;
    if (again + period >= Math.max(TOGETHER, TIMES * period)) return again;
  }
  return 0;
}
