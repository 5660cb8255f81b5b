/** A lesson and what was changed in it, as a query string and back. */
import { LESSONS, type LessonName } from "./lessons";
import { OPTIONS, TEMPERATURES, type Chosen } from "./settings";

/** Place of the reader on the road. */
export interface Learning {
  lesson: LessonName;
  text: string | null; // null: the sample sentence
  spotlight: number | null; // a word by its place; null: the lesson chooses
  chosen: Chosen;
}

const FORMER: Record<string, LessonName> = { trained: "heads" }; // lessons of earlier links

/** Adds what is not as the road has it at its beginning. */
export function writeLearning(params: URLSearchParams, { lesson, text, spotlight, chosen }: Learning): void {
  params.set("learn", lesson);
  if (text !== null) params.set("sentence", text);
  if (spotlight !== null) params.set("word", String(spotlight));
  for (const [name, value] of Object.entries(chosen)) {
    if (Array.isArray(value) && !value.length) continue; // nothing is struck out
    params.set(name, value === null ? "all" : String(value));
  }
}

/** Null where the query names no lesson; a choice that there is not is passed over. */
export function readLearning(params: URLSearchParams): Learning | null {
  const named = params.get("learn") ?? "";
  const lesson = LESSONS.find(({ name }) => name === (FORMER[named] ?? named));
  if (!lesson) return null;
  const chosen: Chosen = {};
  for (const name of Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]) {
    const said = params.get(name);
    const value = OPTIONS[name].find((each) => (each === null ? "all" : String(each)) === said);
    if (value !== undefined) Object.assign(chosen, { [name]: value });
  }
  const temperature = TEMPERATURES.find((each) => String(each) === params.get("temperature"));
  if (temperature !== undefined) chosen.temperature = temperature;
  const swap = (params.get("swap") ?? "").split(",").map(Number);
  const [first, second] = swap;
  if (swap.length === 2 && first !== undefined && second !== undefined && swap.every((each) => Number.isInteger(each) && each >= -1))
    chosen.swap = [first, second];
  const places = (name: string) => (/^\d{1,4}(,\d{1,4})*$/.test(params.get(name) ?? "") ? (params.get(name) ?? "").split(",").map(Number) : []);
  for (const name of ["step", "moment"] as const) {
    const [place, ...more] = places(name);
    if (place !== undefined && !more.length) chosen[name] = place;
  }
  if (places("struck").length) chosen.struck = places("struck");
  const [spotlight = null] = places("word");
  return { lesson: lesson.name, text: params.get("sentence"), spotlight, chosen };
}
