/** Steps of the output, and the rows of a map that they were chosen from. */
import type { GenerationInfo, TapInfo } from "../source";
import type { State } from "../state";

/** The row whose output a step was chosen from: the position before the one it then filled. */
export function rowOf(prompt: number, step: number): number | null {
  const row = prompt + step - 1;
  return row >= 0 ? row : null;
}

/** The step whose token was the least likely: where the model hesitated most. */
export function leastCertain(steps: GenerationInfo["steps"]): number {
  return steps.reduce((least, step, index) => (step.probability < (steps[least]?.probability ?? 1) ? index : least), 0);
}

/** The self- and cross-attention of one layer over the axis that grew. */
export function tapsOf(taps: readonly TapInfo[], axis: string, layer: number): TapInfo[] {
  const order = { cross: 0, self: 1 };
  return taps.filter((tap) => tap.queries === axis && tap.layer === layer).sort((a, b) => order[a.kind] - order[b.kind]);
}

/** The step that the drawer of a word is of: the chosen one, else where the model hesitated most. */
export const stepShown = ({ step }: Pick<State, "step">, { steps }: Pick<GenerationInfo, "steps">): number => step.value ?? leastCertain(steps);
