import { expect, test } from "vitest";
import { notes } from "./legend";
import { sayIn } from "../words/words";
import type { Shown } from "./screen";

const KEYS = { label: (i: number) => ["<pad>", "tea"][i] ?? "" } as never;
const state = (scale: string) => ({ scale: { value: scale }, reduce: { value: "max" }, quantity: { value: "weight" } }) as never;
const shown = (automatic: Partial<Shown["automatic"]>, level = 0): Shown =>
  ({
    level, every: 1, failure: null, highest: 1,
    coloring: { kind: "linear", low: 0, high: 0.4, diverging: false },
    automatic: { perRow: false, high: 0.4, root: 1, sinks: [], ...automatic },
  }) as unknown as Shown;

test("the legend says what an automatic scale did", () => {
  expect(notes(sayIn("en"), state("auto"), shown({ sinks: [{ column: 0, mass: 0.43 }] }), false, KEYS)).toEqual([
    "0.5 % of the cells in view are above the upper end",
    "the scale leaves out the sink, key 0 “<pad>” (43\u202f% of the weight)",
  ]);
  expect(notes(sayIn("en"), state("auto"), shown({ perRow: true, root: 3, sinks: [{ column: 0, mass: 0.9 }] }, 3), false, KEYS)).toEqual([
    "largest of 8 × 8 cells",
    "each row against its largest, by the cube root",
    "the scale leaves out the sink, key 0–7",
  ]);
  expect(notes(sayIn("en"), state("auto"), { ...shown({}), highest: 0.4 }, false, KEYS)).toEqual([]);
});
