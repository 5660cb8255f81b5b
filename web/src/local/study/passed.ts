/** A run that keeps what passed through a stack: the states between its layers, and what attention read and gave. */
import type { ModelFile, Side, Tap } from "../config";
import type { Inputs, Listener } from "../native";
import type { Run } from "../model";
import type { Writer } from "../writer";
import type { Weights } from "../weights";
import { joined } from "../trace/stream";
import { at, product } from "./plane";

export interface Attended {
  tap: Tap;
  inputs: Inputs;
  output: Float32Array; // of the heads, side by side
}

export interface Passed {
  states: Float32Array[]; // (tokens, d_model): a layer's input, and behind the last its output
  attended: ReadonlyMap<string, Attended>; // by tap
}

export function passed(writer: Writer, run: Run, of: Side): Passed {
  const states: Float32Array[] = [];
  const attended = new Map<string, Attended>();
  const listener: Listener = {
    states: (side, _, rows) => void (side === of && states.push(joined(rows))),
    attention: ({ tap, rows, heads, inputs, output }) => {
      if (!tap.startsWith(of)) return;
      const outputs = Array.from({ length: rows * heads }, (_, i) => output(Math.floor(i / heads), i % heads));
      attended.set(tap, { tap: writer.taps.get(tap) as Tap, inputs: inputs(), output: joined(outputs) });
    },
  };
  writer.read(run, listener);
  return { states, attended };
}

/** One row of a matrix that is stored row by row. */
export const rowOf = (values: Float32Array, row: number, width: number): Float32Array => values.subarray(row * width, (row + 1) * width);

/** A vector behind a projection, by its weights; `whole`: with its bias. */
export function projected(weights: Weights, name: string, x: ArrayLike<number>, whole = true): Float32Array {
  const matrix = weights.matrix(`${name}.weight`);
  const bias = whole && weights.has(`${name}.bias`) ? weights.vector(`${name}.bias`) : null;
  return Float32Array.from({ length: matrix.rows }, (_, row) => product(weights.row(matrix, row), x) + (bias ? at(bias, row) : 0));
}

/** Throws for a model that normalizes sums: it has no terms that add up. */
export function checkPreNorm({ config, info: { name } }: ModelFile): void {
  if (config.norm !== "pre") throw new Error(`${name} normalizes behind its layers, so they have no terms that add up here; use \`regard studio ${name}\`.`);
}
