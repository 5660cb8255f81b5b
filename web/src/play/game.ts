/** The game: a reader gives each word of the translation one word to look at, in place of all heads and layers. */
import type { Aligned } from "../translation/aligned";
import { keysOf, rowsOf } from "../translation/pull";
import { playable } from "../translation/RibbonFigure";
import { chances, outputWords } from "../translation/sentences";
import { lookOf } from "../off/parts";
import { rewrites } from "../off/switch";
import { ask, restored, type State } from "../state";
import type { GenerationInfo, TapInfo, TraceInfo, TraceRequest } from "../source";
import { knows, units } from "../weights/units";
import { SENTENCES } from "./sentences";

export type Lines = ReadonlyMap<number, number>; // words of the output and the words of the source they look at
type Steps = GenerationInfo["steps"];

export const playing = (state: State): boolean => state.view.value === "sentence" && state.drawn.value !== null && rewrites(state) && crossed(state.trace.value).length > 0;

/** Layers whose heads the lines replace. */
export const crossed = (trace: TraceInfo | null): TapInfo[] => trace?.taps.filter(({ kind }) => kind === "cross") ?? [];

/** The sentence of a day, the same for everybody. */
export const ofDay = (day: Date): string =>
  SENTENCES[Math.floor(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / 864e5) % SENTENCES.length] as string;

/** The sentence after this one in the list. */
export const another = (text: string): string => SENTENCES[(SENTENCES.indexOf(text) + 1) % SENTENCES.length] as string;

const before = new WeakMap<State, { id: string; request: TraceRequest }>(); // what was shown as the game began

/** Opens the game, with another text or the one that is there. */
export async function play(state: State, text?: string): Promise<void> {
  const request = restored(state);
  if (!request) return;
  if (!playing(state)) before.set(state, { id: state.trace.value?.id ?? "", request: state.request.value ?? request });
  state.drawn.value = [];
  state.drawer.value = "";
  await ask(state, text ? { model: request.model, text } : request);
}

/** Ends the game: what had been struck, pulled or switched off in its text is so again. */
export async function leave(state: State): Promise<void> {
  state.drawn.value = null;
  const { value: trace } = state.trace;
  const { id, request } = before.get(state) ?? {};
  if (request && id !== trace?.id && request.text === trace?.text && request.model === trace.model) await ask(state, request);
}

/** The two sentences with a ribbon of all its looks for each word that has a line. */
export function board(trace: TraceInfo, lines: Lines = new Map()): Aligned {
  const tap = crossed(trace)[0] as TapInfo;
  const [from, to] = [trace.axes[tap.keys], trace.axes[tap.queries]] as [TraceInfo["axes"][string], TraceInfo["axes"][string]];
  const source = units(from, knows(from, "word") ? "word" : "token");
  const output = outputWords(to, knows(to, "word") ? "word" : "token", "output");
  const drawn = { values: new Float32Array(output.length * source.length), height: output.length, width: source.length };
  for (const [word, key] of lines) drawn.values[word * source.length + key] = 1;
  return { trace, tap, head: "mean", quantity: "weight", step: "output", source, output, tokens: drawn, values: drawn, shares: drawn };
}

/** Lines by name, as pulls have: the first row of the word and the first position that it looks at. */
export function linesOf(names: readonly string[], { output, source }: Aligned): Map<number, number> {
  const lines = new Map<number, number>();
  for (const look of names.map(lookOf)) {
    const word = output.findIndex(({ rows }) => look && look.query >= rows.first && look.query < rows.end);
    const key = source.findIndex(({ first, end }) => look && look.key >= first && look.key < end);
    if (playable(output[word]) && key >= 0) lines.set(word, key);
  }
  return lines;
}

export const named = (lines: Lines, on: Aligned): string[] =>
  [...lines].sort(([one], [other]) => one - other).map(([word, key]) => `${rowsOf(on, on.output[word]!)[0]}:${keysOf(on, key)[0]}`);

/** What every row looks at: a word that has no line at all positions, a mark at the same mark, else at the last position. */
export function looksOf(lines: Lines, on: Aligned): string[] {
  const [tokens, predicts] = [on.trace.axes[on.tap.keys]?.tokens ?? [], on.trace.axes[on.tap.queries]?.predicts ?? []];
  const all = tokens.map((_, key) => key);
  const bare = (token = "") => token.replace(/^▁/, "");
  const looks = new Map<number, number[]>();
  on.output.forEach((word, index) => {
    const line = lines.get(index);
    const spelled = playable(word) ? rowsOf(on, word) : [];
    for (let row = word.rows.first; row < word.rows.end; row++) {
      const same = tokens.map(bare).lastIndexOf(bare(predicts[row]));
      looks.set(row, spelled.includes(row) ? (line === undefined ? all : keysOf(on, line)) : [same < 0 ? tokens.length - 1 : same]);
    }
  });
  return [...looks].flatMap(([row, keys]) => keys.map((key) => `${row}:${key}`));
}

/** The request in which the model writes its own words again, with these looks. */
export function graded(state: State, looks: string[]): TraceRequest | null {
  const steps = state.trace.value?.generation?.steps;
  return steps ? restored(state, { num_beams: 1, looks, forced_beginning: steps.map((step) => step.id ?? -1) }) : null;
}

/** Of 100: the geometric mean of the probabilities of the steps. */
export const score = (steps: Steps): number =>
  100 * Math.exp(steps.reduce((sum, step) => sum + Math.log(Math.max(step.probability, 1e-12)), 0) / steps.length);

/** "77", or "0.2" of little. */
export const points = (value: number): string => value.toFixed(value < 0.95 ? 1 : 0);

/** The same line for each word at every reading of a text, drawn without a thought. */
export function thoughtless(on: Aligned): Lines {
  let seed = [...on.trace.text].reduce((sum, letter) => (31 * sum + (letter.codePointAt(0) as number)) >>> 0, 7);
  const keys = on.source.flatMap((unit, key) => (playable(unit) ? [key] : []));
  const pick = () => keys[(seed = (1664525 * seed + 1013904223) >>> 0) % keys.length] as number;
  return new Map(on.output.flatMap((word, index) => (playable(word) ? [[index, pick()] as [number, number]] : [])));
}

/** How much of its own probability a word keeps: 0 most of it, 3 hardly any. */
export function grades(on: Aligned, own: Steps, drawn: Steps): (number | null)[] {
  const prompt = on.trace.axes[on.tap.queries]?.prompt ?? 1;
  const [before, after] = [chances(on.output, prompt, own), chances(on.output, prompt, drawn)];
  return on.output.map((word, i) => {
    const kept = (after[i] as number) / (before[i] as number);
    return playable(word) ? [0.9, 0.5, 0.1].filter((bound) => kept < bound).length : null;
  });
}

export const SQUARES = ["🟦", "🟨", "🟧", "⬛"];
export const COLORS = ["var(--rg-head-0)", "#e8b90c", "#e07020", "#33363c"];
export const GRADES = ["at least 90 %", "at least half", "at least a tenth", "less than a tenth"];
