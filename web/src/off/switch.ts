/** Switching parts of the model and words of the text off: the output is written without them. */
import { batch } from "@preact/signals";
import type { AblationRequest, TraceRequest } from "../source";
import { ablate, ask, restored, type State } from "../state";
import { positionsOf, type Span } from "../weights/units";
import { lookOf, nameOf, ordered, positionName } from "./parts";

/** Parts that are off in the trace on the screen. */
export const off = (state: State): string[] => state.request.value?.without ?? [];

/** Looks that rows were made to have. */
export const looks = (state: State): string[] => state.request.value?.looks ?? [];

/** True if the output can be written without something here. */
export function rewrites(state: State): boolean {
  return state.trace.value?.can_rewrite === true && restored(state) !== null;
}

/** Writes the output with these parts off and these looks, and nothing else changed; the cell and the step
 * that are looked at stay. */
async function rewrite(state: State, without: readonly string[], looks: readonly string[]): Promise<void> {
  const request = restored(state, { without: ordered(without), looks: [...looks] });
  if (request) await showing(state, request);
}

/** Shows what a request writes; the cell, the step and the word that are looked at stay. */
export async function showing(state: State, request: TraceRequest): Promise<void> {
  const { value: trace } = state.trace;
  const [focus, step, word] = [state.focus.value, state.step.value, state.word.value];
  await ask(state, request);
  const { value: written } = state.trace;
  const { value: tap } = state.tap;
  if (written === trace || !written) return;
  batch(() => {
    state.changed.value = word;
    if (focus && tap && focus.query < tap.rows && focus.key < tap.columns) state.focus.value = focus;
    if (step !== null && step < (written.generation?.steps.length ?? 0)) state.step.value = step;
  });
}

/** Writes the output without these parts, and no others. */
export const switchOff = (state: State, without: readonly string[]): Promise<void> => rewrite(state, without, looks(state));

/** The names of positions, such as those of a word. */
export const namesOf = (state: State, axis: string, word: Span): string[] =>
  positionsOf(word).map((position) => positionName(state.trace.value?.axes ?? {}, axis, position));

/** Strikes out these positions besides. */
export const strike = (state: State, axis: string, span: Span): Promise<void> => switchOff(state, [...off(state), ...namesOf(state, axis, span)]);

/** Brings these parts back, and lets these rows look where they would. */
export function bringBack(state: State, names: readonly string[]): Promise<void> {
  const others = (all: string[]) => all.filter((each) => !names.includes(each));
  return rewrite(state, others(off(state)), others(looks(state)));
}

/** The request in which this row of the output sees these keys alone. What stands before it stays; what was
 * changed behind it is the model's own again, also the rest of a word that has several tokens. */
export function pulled(state: State, row: number, keys: readonly number[]): TraceRequest | null {
  const generation = state.trace.value?.generation;
  if (!generation) return null;
  const before = looks(state).filter((name) => (lookOf(name)?.query ?? 0) < row);
  const forced = (state.request.value?.forced_beginning ?? []).slice(0, row);
  const begins = generation.shown ? generation.steps.slice(0, row).map((each) => each.id ?? -1) : forced;
  return restored(state, { without: off(state), looks: [...before, ...keys.map((key) => `${row}:${key}`)], forced_beginning: begins });
}

/** Writes the output without it and measures what the step's token loses; or brings it back. */
export async function toggle(state: State, request: AblationRequest): Promise<void> {
  const { value: trace } = state.trace;
  if (!trace || state.busy.value) return;
  const name = nameOf(request, trace);
  if (off(state).includes(name)) return bringBack(state, [name]);
  const writing = switchOff(state, [...off(state), name]); // asked first: the sentence waits for nothing else
  await ablate(state, request, writing, () => off(state).includes(name));
}
