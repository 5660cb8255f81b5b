/** Settings of a lesson: the choices, and their values at the start. */
import type { LessonRequest } from "../source";

type Asked = Required<LessonRequest>;

/** Each as it is where a lesson does not say otherwise. */
export const PLAIN = {
  score: "scaled_dot" as Asked["score"],
  head_dim: null as number | null, // null: as many as there are
  heads: 1,
  mask: "none" as Asked["mask"],
  window: 1,
  temperature: 1,
  positions: false,
  projections: "none" as Asked["projections"],
  layer: 0, // of the trained model
  head: 0,
  swap: [1, -1] as [number, number], // two words of the sentence, by their place
  step: 0, // of the translation
  top_k: null as number | null, // null: all
  top_p: 1,
  moment: 0, // of the recorded training
  struck: [] as number[], // positions of the source that are struck out
};
export type Settings = typeof PLAIN;
/** Settings that the reader has chosen; kept from lesson to lesson, each of which uses its own. */
export type Chosen = Partial<Settings>;
export type Control = keyof Settings;

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
