/** Asks for another hypothesis of the same run, in the place of the one shown. */
import { batch } from "@preact/signals";
import { ask, type State } from "../state";

export async function chooseHypothesis(state: State, hypothesis: number): Promise<void> {
  const trace = state.trace.value;
  if (!trace?.generation || trace.generation.shown === hypothesis || state.busy.value) return;
  const { model, text, generation } = trace;
  const before = state.request.value ?? { model, text, num_beams: generation.hypotheses.length };
  await ask(state, { ...before, hypothesis });
  if (state.trace.value === trace) return; // it went wrong, and the page says so
  batch(() => {
    state.step.value = null; // its steps are others
    state.locked.value = [];
    state.focus.value = null;
  });
}
