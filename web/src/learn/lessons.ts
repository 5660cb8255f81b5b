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
      "A network computes with numbers, so each word is looked up in a table and becomes a row of them: its vector. The rows were learned from the company that words keep.",
      "A row is also an arrow. Words that are used alike point in like directions.",
    ],
    starts: { head_dim: 8 },
    controls: ["head_dim"],
    geometry: true,
  },
  {
    name: "average",
    title: "Average everything",
    says: [
      "A word's vector is the same in every sentence. The simplest way to let it know its sentence: mix in all the others, each with the same weight.",
      "But then every word gets the same mixture. Choose another word: nothing changes.",
    ],
    starts: { score: "average" },
    controls: [],
  },
  {
    name: "alike",
    title: "Look at what is alike",
    says: [
      "Give more weight to the words that matter to this one. How alike two words are, the dot product says: multiply their rows number by number and add up.",
      "Softmax turns the scores into weights that add up to 1; the output is the sum of the vectors, each times its weight. That is attention.",
    ],
    starts: { score: "dot" },
    controls: [],
  },
  {
    name: "scale",
    title: "Why divide by √d",
    says: [
      "A dot product of d numbers is a sum of d terms, so with more dimensions scores lie further apart, until softmax gives everything to one word. Dividing by √d holds them together.",
      "Temperature divides once more, by hand: below 1 weights get sharper, above 1 flatter.",
    ],
    starts: {},
    controls: ["head_dim", "temperature"],
    beside: "unscaled",
  },
  {
    name: "qkv",
    title: "Query, key and value",
    says: [
      "A word plays three parts: it looks for something (query), can be found (key), and has something to give (value). Three matrices make three vectors of the one; here they are random, in a model they are trained.",
      "First, the query among the keys. Then each value, shortened to its weight and laid tip to tail: they end at the output.",
    ],
    starts: { head_dim: 2, projections: "random" },
    controls: ["projections", "head_dim"],
    geometry: true,
  },
  {
    name: "heads",
    title: "Several heads",
    says: [
      "One row of weights can say one thing only. So several heads look at once, each with its own few dimensions, and each may look elsewhere.",
      "What they find is put side by side. The frame marks the row of the word in the spotlight; the bars are its numbers.",
    ],
    starts: { heads: 4, temperature: 0.5 },
    controls: ["heads", "projections"],
  },
  {
    name: "order",
    title: "Order",
    says: [
      "So far nothing has heeded the order of the words. Let two change places: each word still gets exactly what it got before.",
      "Turn positions on. A pattern of waves, different at every place, is added to the vectors, and now the order counts.",
    ],
    starts: { temperature: 4 },
    controls: ["positions", "swap"],
    beside: "swapped",
  },
  {
    name: "masks",
    title: "Masks",
    says: [
      "Who may look at whom can be laid down. A hidden score becomes −∞ before softmax, its weight is exactly 0, and the others share what it had.",
      "The causal mask hides the future, as when a text is written word by word; a window hides what is far away.",
    ],
    starts: { mask: "causal", temperature: 4 },
    controls: ["mask", "window"],
  },
  {
    name: "similarity",
    title: "Other ways to be alike",
    says: [
      "The dot product is a choice: any measure of likeness can take its place, and nothing else changes.",
      "Cosine ignores length and compares directions only, the Gaussian prefers what lies near, the average ignores both.",
    ],
    starts: { score: "cosine", temperature: 0.25 },
    controls: ["score", "temperature"],
  },
  {
    name: "trained",
    title: "A trained model",
    says: [
      "In a model the same steps run in every layer, with matrices found by training. These are the heads of a small translator, on your sentence; no one wrote down what they look at.",
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
