/** A lesson and what was changed in it, as a query string and back. */
import { choice, count, places, readFields, tuple, words, writeFields } from "../fields";
import { LESSONS, type LessonName } from "./lessons";
import { OPTIONS, TEMPERATURES, type Chosen } from "./settings";

/** Place of the reader on the road. */
export interface Learning {
  lesson: LessonName;
  text: string | null; // null: the sample sentence
  spotlight: number | null; // a word by its place; null: the lesson chooses
  chosen: Chosen;
}

const PLACE = { text: { ...words(null), param: "sentence" }, spotlight: { ...count(null), param: "word" } };
const options = Object.entries({ ...OPTIONS, temperature: TEMPERATURES }).map(([name, all]) => [name, choice<unknown>(undefined, all)]);
const CHOSEN = {
  ...(Object.fromEntries(options) as Record<keyof typeof OPTIONS | "temperature", ReturnType<typeof choice<unknown>>>),
  swap: tuple(2, (both: [number, number]) => both, ([first, second]) => [first!, second!] as [number, number], undefined, -1),
  step: count(undefined),
  moment: count(undefined),
  struck: places(undefined),
};

/** Adds what is not as the road has it at its beginning. */
export function writeLearning(params: URLSearchParams, { lesson, chosen, ...place }: Learning): void {
  params.set("learn", lesson);
  writeFields(PLACE, place, params);
  writeFields(CHOSEN, chosen, params);
}

/** Null where the query names no lesson; a choice that there is not is passed over. */
export function readLearning(params: URLSearchParams): Learning | null {
  const lesson = LESSONS.find(({ name }) => name === params.get("learn"))?.name;
  return lesson ? { lesson, ...readFields(PLACE, params), chosen: readFields(CHOSEN, params) as Chosen } : null;
}
