/** Settings of a lesson: the choices, and their values at the start. */
import type { LessonRequest } from "../source";

/** Settings that the reader has chosen; kept from lesson to lesson, each of which uses its own. */
export interface Chosen {
  score?: Required<LessonRequest>["score"];
  head_dim?: number | null; // null: as many as there are
  heads?: number;
  mask?: Required<LessonRequest>["mask"];
  window?: number;
  temperature?: number;
  positions?: boolean;
  projections?: Required<LessonRequest>["projections"];
  layer?: number; // of the trained model
  head?: number;
  swap?: [number, number]; // two words of the sentence, by their place
  step?: number; // of the translation
  top_k?: number | null; // null: all
  top_p?: number;
  moment?: number; // of the recorded training
  struck?: number[]; // positions of the source that are struck out
}
export type Control = keyof Chosen;
export type Settings = Required<Chosen>;

/** The choices that are a few; the others are numbers. */
export const OPTIONS = {
  score: ["dot", "scaled_dot", "cosine", "gaussian", "average"],
  head_dim: [2, 4, 8, 16, null],
  heads: [1, 2, 4, 8],
  mask: ["none", "causal", "window"],
  window: [0, 1, 2, 3, 4],
  positions: [false, true],
  projections: ["trained", "random", "none"],
  layer: [0, 1, 2, 3, 4, 5],
  head: [0, 1, 2, 3],
  top_k: [1, 2, 5, 10, null],
  top_p: [0.5, 0.8, 0.9, 0.95, 1],
} as const;

/** Powers of two, for a slider that goes as far down as up. */
export const TEMPERATURES = [0.125, 0.25, 0.5, 1, 2, 4, 8] as const;

export const PLAIN: Settings = {
  score: "scaled_dot",
  head_dim: null,
  heads: 1,
  mask: "none",
  window: 1,
  temperature: 1,
  positions: false,
  projections: "none",
  layer: 0,
  head: 0,
  swap: [1, -1],
  step: 0,
  top_k: null,
  top_p: 1,
  moment: 0,
  struck: [],
};
