/** The road from words to a translation: what each lesson shows, and lets be changed. */
import type { LessonRequest } from "../source";
import { PLAIN, type Chosen, type Control, type Settings } from "./settings";
import { swapped, wordsOf } from "./words";

export type LessonName =
  | "words" | "average" | "alike" | "softmax" | "scale" | "qkv" | "heads" | "order" | "masks" | "similarity"
  | "block" | "layers" | "cross" | "next" | "training" | "yours";

/** Its title and paragraphs are in words/lessons.ts. */
export interface Lesson {
  name: LessonName; // in a link
  starts: Chosen;
  controls: readonly Control[];
  own?: true; // its picture asks for its numbers itself
  geometry?: true; // the picture has arrows
  beside?: "unscaled" | "swapped"; // what the picture shows beside the answer itself
}

export const SAMPLE = "the boy eats an apple and an orange by the river";

export const LESSONS: readonly Lesson[] = [
  { name: "words", starts: { head_dim: 8 }, controls: ["head_dim"], geometry: true },
  { name: "average", starts: { score: "average" }, controls: [] },
  { name: "alike", starts: { score: "dot" }, controls: [] },
  { name: "softmax", starts: { score: "dot", temperature: 4 }, controls: ["temperature"] },
  { name: "scale", starts: {}, controls: ["head_dim"], beside: "unscaled" },
  {
    name: "qkv",
    starts: { projections: "trained", layer: 3, head: 2, head_dim: 2 },
    controls: ["projections", "layer", "head", "head_dim"],
    geometry: true,
  },
  {
    name: "heads",
    starts: { projections: "trained", layer: 1, heads: 4, temperature: 0.5 },
    controls: ["projections", "layer", "heads"],
  },
  { name: "order", starts: { temperature: 4 }, controls: ["positions", "swap"], beside: "swapped" },
  { name: "masks", starts: { mask: "causal", temperature: 4 }, controls: ["mask", "window"] },
  { name: "similarity", starts: { score: "cosine", temperature: 0.25 }, controls: ["score", "temperature"] },
  { name: "block", starts: {}, controls: ["layer"], own: true },
  { name: "layers", starts: {}, controls: [], own: true },
  { name: "cross", starts: { layer: 1, step: 2 }, controls: ["layer", "step"], own: true },
  { name: "next", starts: { step: 1 }, controls: ["temperature", "top_k", "top_p", "step"], own: true },
  { name: "training", starts: {}, controls: ["moment"], own: true },
  { name: "yours", starts: {}, controls: ["struck"], own: true },
];

export function lessonOf(name: LessonName): Lesson {
  return LESSONS.find((each) => each.name === name) as Lesson;
}

/** Query, key and value have their names from their lesson on. */
export function knowsQueries(lesson: Lesson): boolean {
  return LESSONS.indexOf(lesson) >= LESSONS.indexOf(lessonOf("qkv"));
}

/** Settings of a lesson: its own start, and what the reader chose of the things it is about. */
export function settingsOf(lesson: Lesson, chosen: Chosen): Settings {
  const kept = Object.fromEntries(
    Object.entries(chosen).filter(([name]) => lesson.controls.includes(name as Control)),
  );
  return { ...PLAIN, ...lesson.starts, ...kept };
}

/** The questions whose answers a lesson's picture is drawn from. */
export function requestsOf(lesson: Lesson, chosen: Chosen, text: string, spotlight: number): LessonRequest[] {
  if (lesson.own) return [];
  const { projections, layer, head, swap, score, head_dim, heads, mask, window, temperature, positions } = settingsOf(lesson, chosen);
  const spot = lesson.geometry ? spotlight : null;
  // The model is given the words alone, so that its words are those of the other lessons.
  if (projections === "trained") return [{ text: wordsOf(text).join(" "), projections, layer, head, spotlight: spot }];
  const asked: LessonRequest = { text, projections, score, head_dim, heads, mask, window, temperature, positions, spotlight: spot };
  if (lesson.beside === "unscaled") return [{ ...asked, score: "dot" }, asked];
  if (lesson.beside === "swapped") return [asked, { ...asked, text: swapped(text, swap) }];
  return [asked];
}
