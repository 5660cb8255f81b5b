/** What a reader can change in a lesson: the choices, and their values at the start. */
import type { LessonRequest } from "../source";

/** What the reader has chosen; kept from lesson to lesson, each of which uses what it is about. */
export interface Chosen {
  score?: Required<LessonRequest>["score"];
  head_dim?: number | null; // null: as many as there are
  heads?: number;
  mask?: Required<LessonRequest>["mask"];
  window?: number;
  temperature?: number;
  positions?: boolean;
  projections?: Required<LessonRequest>["projections"];
  swap?: [number, number]; // two words of the sentence, by their place
}
export type Control = keyof Chosen;
export type Settings = Required<Chosen>;

/** The choices that are a few; temperature, window and swap are numbers. */
export const OPTIONS = {
  score: ["dot", "scaled_dot", "cosine", "gaussian", "average"],
  head_dim: [2, 4, 8, 16, null],
  heads: [1, 2, 4, 8],
  mask: ["none", "causal", "window"],
  window: [0, 1, 2, 3, 4],
  positions: [false, true],
  projections: ["none", "random"],
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
  swap: [1, -1],
};
