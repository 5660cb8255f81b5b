/** Pulling the ribbon of a word to another word of the source: while it is held, what the model would write. */
import { signal } from "@preact/signals";
import { lookOf } from "../off/parts";
import { looks, pulled, showing } from "../off/switch";
import type { TraceInfo, TraceRequest } from "../source";
import { attempt, made, type State } from "../state";
import { knows, positionsOf, type Span } from "../weights/units";
import type { Aligned } from "./aligned";
import { outputWords, type OutputWord } from "./sentences";

export interface Held {
  word: number; // of the output
  from: number; // the word of the source at which the ribbon was taken
  key: number; // the one at which it is held
  request: TraceRequest | null; // null: where it was taken
  trace: TraceInfo | null; // what is written then, by the likeliest tokens; null: not known yet
  next: { label: string; probability: number } | null; // the word that it writes there
}

/** Tokens of a word without marks of punctuation, unless it has no others. */
export function spelling(word: Span, tokens: readonly string[]): number[] {
  const all = positionsOf(word);
  const spelled = all.filter((at) => /[\p{L}\p{N}]/u.test(tokens[at] ?? ""));
  return spelled.length ? spelled : all;
}

/** Rows of the map at which a word is written. */
export const rowsOf = ({ trace, tap }: Aligned, { rows }: OutputWord): number[] => spelling(rows, trace.axes[tap.queries]?.predicts ?? []);

export const keysOf = ({ trace, tap, source }: Aligned, key: number): number[] =>
  spelling(source[key] as Span, trace.axes[tap.keys]?.tokens ?? []);

/** Words of the output that look where the reader wants. */
export function pulledWords(state: State, aligned: Aligned): Set<number> {
  const rows = looks(state).map((name) => lookOf(name)?.query ?? -1);
  return new Set(aligned.output.flatMap((word, index) => (rows.some((row) => row >= word.rows.first && row < word.rows.end) ? [index] : [])));
}

export function puller(state: State) {
  const held = signal<Held | null>(null);
  let asking = false; // for one at a time: on the way to a word others are passed
  const preview = async (axis: string, row: number) => {
    if (asking) return;
    asking = true;
    for (let now = held.value; now?.request && !now.trace; now = held.value) {
      const { request } = now;
      const trace = await attempt(state, () => made(state, quick(state, request, row)));
      if (!trace) held.value = null;
      else if (held.value === now) held.value = { ...now, trace, next: wordAt(trace, axis, row) };
    }
    asking = false;
  };
  return {
    held,
    /** Takes a word's ribbon, or holds it at another word. */
    take(aligned: Aligned, word: number, key: number): void {
      const { value: before } = held;
      const unit = aligned.output[word];
      if (!unit || state.busy.value || (before?.word === word && before.key === key)) return;
      const from = before?.word === word ? before.from : key;
      const [row = 0] = rowsOf(aligned, unit);
      const request = key === from ? null : pulled(state, row, keysOf(aligned, key));
      held.value = { word, from, key, request, trace: null, next: null };
      void preview(aligned.tap.queries, row);
    },
    async letGo(done: boolean): Promise<void> {
      const { value: now } = held;
      if (done && now?.request) await showing(state, now.request);
      held.value = null;
    },
  };
}

/** The same without a search: what stands before the row is known, and one hypothesis goes on from it. */
function quick(state: State, request: TraceRequest, row: number): TraceRequest {
  const before = state.trace.value?.generation?.steps.slice(0, row).map((step) => step.id ?? -1) ?? [];
  return { ...request, num_beams: 1, ...(before.length && { forced_beginning: before }) };
}

/** The word of the output that a row begins, and the probability that the row gives it. */
function wordAt(trace: TraceInfo, name: string, row: number): Held["next"] {
  const axis = trace.axes[name];
  const step = trace.generation?.steps[row + 1 - (axis?.prompt ?? 0)];
  if (!axis || !step) return null;
  const words = outputWords(axis, knows(axis, "word") ? "word" : "token", "output");
  const label = words.find(({ rows }) => row >= rows.first && row < rows.end)?.label ?? step.token;
  return { label, probability: step.probability };
}
