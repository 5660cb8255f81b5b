/** The two sentences of a translation, and which rows of the map belong to a word of the output. */
import type { AxisInfo, GenerationInfo } from "../source";
import type { Aligned } from "../state";
import type { Weights } from "../weights/matrix";
import { isSpecial, units, type Span, type Unit } from "../weights/units";

/** Of a generated word: the step that predicts it, or the next one, which reads it. */
export type StepChoice = Aligned;

export interface OutputWord extends Unit {
  rows: Span; // empty where this step has no row
}

/** The words of the output after what was given, with the row spans of the chosen step. */
export function outputWords(axis: AxisInfo, group: "token" | "word", step: StepChoice): OutputWord[] {
  const length = axis.tokens.length;
  const words: Unit[] = units(axis, group).filter((unit) => unit.first >= axis.prompt);
  const last = axis.predicts?.[length - 1];
  if (last !== undefined) {
    // The end of the sentence is predicted by the last row and read by none.
    words.push({ first: length, end: length + 1, label: last, title: last, special: isSpecial(last) });
  }
  const shift = step === "output" ? 1 : 0;
  return words.map((word) => {
    const first = Math.min(length, Math.max(0, word.first - shift));
    const { first: start, end, label, title, special } = word;
    return { first: start, end, label, title, special, rows: { first, end: Math.max(first, Math.min(length, end - shift)) } };
  });
}

/** The probability of each word of the output: the product of its tokens'. */
export function chances(words: readonly OutputWord[], prompt: number, steps: GenerationInfo["steps"]): number[] {
  return words.map(({ first, end }) => steps.slice(first - prompt, end - prompt).reduce((product, step) => product * step.probability, 1));
}

/** Each row's values as shares of what the row has in all; weights already are. */
export function shares(map: Weights): Weights {
  const values = new Float32Array(map.values.length);
  for (let row = 0; row < map.height; row++) {
    const cells = map.values.subarray(row * map.width, (row + 1) * map.width);
    const total = cells.reduce((sum, value) => (value > 0 ? sum + value : sum), 0);
    cells.forEach((value, column) => {
      values[row * map.width + column] = total > 0 ? value / total : value;
    });
  }
  return { ...map, values };
}
