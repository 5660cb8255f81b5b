/** What a lesson can be told to do otherwise, and the question to the server that comes of it. */
import type { LessonRequest } from "../source";
import type { Lesson } from "./lessons";
import { swapped } from "./words";

/** What the reader has chosen; kept from lesson to lesson, each of which heeds what it is about. */
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

/** What holds in a lesson: its own start, and what the reader chose of the things it is about. */
export function settingsOf(lesson: Lesson, chosen: Chosen): Settings {
  const heeded = Object.fromEntries(
    Object.entries(chosen).filter(([name]) => lesson.controls.includes(name as Control)),
  );
  return { ...PLAIN, ...lesson.starts, ...heeded };
}

/** The questions whose answers a lesson's picture is drawn from. */
export function requestsOf(lesson: Lesson, chosen: Chosen, text: string, spotlight: number): LessonRequest[] {
  const { swap, ...settings } = settingsOf(lesson, chosen);
  const asked: LessonRequest = { text, ...settings, spotlight: lesson.geometry ? spotlight : null };
  if (lesson.beside === "unscaled") return [{ ...asked, score: "dot" }, asked];
  if (lesson.beside === "swapped") return [asked, { ...asked, text: swapped(text, swap) }];
  return [asked];
}
