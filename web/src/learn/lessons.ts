/** The road from words to attention: what each lesson says, shows, and lets be changed. */
import type { LessonRequest } from "../source";
import { PLAIN, type Chosen, type Control, type Settings } from "./settings";
import { swapped } from "./words";

export type LessonName =
  | "words" | "average" | "alike" | "scale" | "qkv" | "heads" | "order" | "masks" | "similarity" | "trained";

export interface Lesson {
  name: LessonName; // in a link
  title: string;
  says: readonly string[]; // a paragraph each, two at most
  starts: Chosen;
  controls: readonly Control[];
  geometry?: boolean; // the picture has arrows
  beside?: "unscaled" | "swapped"; // what the picture shows beside the answer itself
}

export const SAMPLE = "the boy eats an apple and an orange by the river";

export const LESSONS: readonly Lesson[] = [
  {
    name: "words",
    title: "Words become vectors",
    says: [
      "A network computes with numbers, so each word is looked up in a table and becomes a row of numbers: its vector. The rows were learned from the company that words keep.",
      "A row is also an arrow. Words that are used in similar ways point in similar directions.",
    ],
    starts: { head_dim: 8 },
    controls: ["head_dim"],
    geometry: true,
  },
  {
    name: "average",
    title: "Average everything",
    says: [
      "A word's vector is the same in every sentence. The simplest way to tell it about its sentence is to mix in all the other words, each with the same weight.",
      "But then every word gets the same mixture. Choose another word: nothing changes.",
    ],
    starts: { score: "average" },
    controls: [],
  },
  {
    name: "alike",
    title: "Look at what is similar",
    says: [
      "Give more weight to the words that matter to this one. The dot product says how similar two words are: multiply their rows number by number and add up the products.",
      "Softmax turns the scores into weights that add up to 1. The output is the sum of the vectors, each times its weight. That is attention.",
    ],
    starts: { score: "dot" },
    controls: [],
  },
  {
    name: "scale",
    title: "Why divide by √d",
    says: [
      "A dot product of d numbers is a sum of d terms, so with more dimensions the scores spread further apart, until softmax gives everything to one word. Dividing by √d keeps them together.",
      "The temperature divides the scores once more: below 1 the weights get sharper, above 1 flatter.",
    ],
    starts: {},
    controls: ["head_dim", "temperature"],
    beside: "unscaled",
  },
  {
    name: "qkv",
    title: "Query, key and value",
    says: [
      "A word plays three parts: it looks for something (query), it can be found (key), and it has something to say (value). Three matrices turn its one vector into three. Here they are random; in a model they are trained.",
      "The first picture shows the query among the keys. The second shows each value, scaled by its weight and laid tip to tail: together they end at the output.",
    ],
    starts: { head_dim: 2, projections: "random" },
    controls: ["projections", "head_dim"],
    geometry: true,
  },
  {
    name: "heads",
    title: "Several heads",
    says: [
      "One row of weights can say only one thing. So several heads look at the same time, each with a few dimensions of its own, and each can look somewhere else.",
      "Their outputs are joined side by side. The frame marks the row of the word in the spotlight; the bars show its numbers.",
    ],
    starts: { heads: 4, temperature: 0.5 },
    controls: ["heads", "projections"],
  },
  {
    name: "order",
    title: "Order",
    says: [
      "So far the order of the words has not mattered. Swap two words: each word still gets exactly what it got before.",
      "Turn positions on. A pattern of waves, different at every position, is added to the vectors, and now the order counts.",
    ],
    starts: { temperature: 4 },
    controls: ["positions", "swap"],
    beside: "swapped",
  },
  {
    name: "masks",
    title: "Masks",
    says: [
      "A mask decides which word may look at which. A hidden score becomes −∞ before softmax, so its weight is exactly 0, and the other words share the weight it would have had.",
      "The causal mask hides the future, as it must be when a text is written word by word. A window hides what is far away.",
    ],
    starts: { mask: "causal", temperature: 4 },
    controls: ["mask", "window"],
  },
  {
    name: "similarity",
    title: "Other similarities",
    says: [
      "The dot product is a choice. Any measure of similarity can take its place, and nothing else changes.",
      "The cosine ignores length and compares only directions. The Gaussian prefers vectors that are close. The average ignores both.",
    ],
    starts: { score: "cosine", temperature: 0.25 },
    controls: ["score", "temperature"],
  },
  {
    name: "trained",
    title: "A trained model",
    says: [
      "In a model the same steps run in every layer, with matrices found by training. These are the heads of a small translator, on your sentence. No one programmed what they look at.",
      "Choose a head to open it in the inspector.",
    ],
    starts: {},
    controls: [],
  },
];

export function lessonOf(name: LessonName): Lesson {
  return LESSONS.find((each) => each.name === name) as Lesson;
}

/** What holds in a lesson: its own start, and what the reader chose of the things it is about. */
export function settingsOf(lesson: Lesson, chosen: Chosen): Settings {
  const kept = Object.fromEntries(
    Object.entries(chosen).filter(([name]) => lesson.controls.includes(name as Control)),
  );
  return { ...PLAIN, ...lesson.starts, ...kept };
}

/** The questions whose answers a lesson's picture is drawn from. */
export function requestsOf(lesson: Lesson, chosen: Chosen, text: string, spotlight: number): LessonRequest[] {
  const { swap, ...settings } = settingsOf(lesson, chosen);
  const asked: LessonRequest = { text, ...settings, spotlight: lesson.geometry ? spotlight : null };
  if (lesson.beside === "unscaled") return [{ ...asked, score: "dot" }, asked];
  if (lesson.beside === "swapped") return [asked, { ...asked, text: swapped(text, swap) }];
  return [asked];
}
