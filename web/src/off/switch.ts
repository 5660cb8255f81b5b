/** Switching parts of the model and words of the text off: the output is written without them. */
import { batch } from "@preact/signals";
import type { AblationRequest } from "../source";
import { ask, restored, sentence, stepOf, type Position, type State } from "../state";
import { nameOf, ordered } from "./parts";

/** Parts that are off in the trace on the screen. */
export const off = (state: State): string[] => state.request.value?.without ?? [];

/** True if the output can be written without something here. */
export function rewrites(state: State): boolean {
  return state.trace.value?.can_rewrite === true && restored(state) !== null;
}

/** Writes the output without these parts, and no others; the cell and the step that are looked at stay. */
export async function switchOff(state: State, without: readonly string[]): Promise<void> {
  const request = restored(state);
  if (!request) return;
  const { hypothesis: _, ...rest } = request;
  const { value: trace } = state.trace;
  const [focus, step] = [state.focus.value, state.step.value];
  await ask(state, without.length ? { ...rest, without: ordered(without) } : rest);
  const { value: written } = state.trace;
  const { value: tap } = state.tap;
  if (written === trace || !written) return;
  batch(() => {
    if (focus && tap && focus.query < tap.rows && focus.key < tap.columns) state.focus.value = focus;
    if (step !== null && step < (written.generation?.steps.length ?? 0)) state.step.value = step;
  });
}

/** Brings these parts back. */
export function bringBack(state: State, names: readonly string[]): Promise<void> {
  return switchOff(state, off(state).filter((each) => !names.includes(each)));
}

/** Parts that an ablation at a cell would switch off. */
export function requestAt(state: State, what: AblationRequest["what"], at: Position): AblationRequest | null {
  const { value: tap } = state.tap;
  if (!tap) return null;
  const head = state.head.value === "mean" ? 0 : state.head.value;
  return { what, tap: tap.name, head, ...at, step: stepOf(state, tap, at.query) };
}

/** Writes the output without it and measures what the step's token loses; or brings it back. */
export async function toggle(state: State, request: AblationRequest): Promise<void> {
  const { value: trace } = state.trace;
  if (!trace || state.busy.value) return;
  const name = nameOf(request, trace);
  if (off(state).includes(name)) return bringBack(state, [name]);
  const writing = switchOff(state, [...off(state), name]); // asked first: the sentence waits for nothing else
  try {
    const answer = await state.source.ablate(trace.id, request);
    await writing;
    if (!off(state).includes(name)) return; // something else is shown by now
    batch(() => {
      state.ablation.value = answer;
      state.ablated.value = request;
    });
  } catch (error) {
    await writing;
    state.error.value = sentence(error);
  }
}
