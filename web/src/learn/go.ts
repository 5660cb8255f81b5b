/** Going along the road: into the lessons, from one to the next, and back to the inspector. */
import { batch } from "@preact/signals";
import { begin } from "../shell/address";
import type { TraceRequest } from "../source";
import { ask, type Position, type State } from "../state";
import { DEFAULTS } from "../url";
import type { Learning } from "./address";
import { LESSONS, SAMPLE, type LessonName } from "./lessons";
import type { Chosen } from "./settings";
import { wordsOf } from "./words";

const START: Learning = { lesson: "words", text: null, spotlight: null, chosen: {} };

/** The first lesson. */
export function enter(state: State): void {
  state.learn.value = START;
}

/** Changes a part of where the reader is, in a lesson. */
function change(state: State, part: (learn: Learning) => Partial<Learning>): void {
  const { value: learn } = state.learn;
  if (learn) state.learn.value = { ...learn, ...part(learn) };
}

/** Opens a lesson; sentence, spotlight and choices stay what they are. */
export const turnTo = (state: State, lesson: LessonName): void => change(state, () => ({ lesson }));

/** The lesson so many further; null beyond either end. */
export function beside(lesson: LessonName, by: number): LessonName | null {
  return LESSONS[LESSONS.findIndex(({ name }) => name === lesson) + by]?.name ?? null;
}

export function turnBy(state: State, by: number): boolean {
  const next = state.learn.value && beside(state.learn.value.lesson, by);
  if (next) turnTo(state, next);
  return !!next;
}

/** Another sentence; the spotlight stays on a place that still has the same word. */
export function write(state: State, text: string): void {
  change(state, ({ spotlight, text: before, chosen: { struck: _, ...chosen } }) => { // struck are places in the sentence that was
    const stays = spotlight !== null && wordsOf(before ?? SAMPLE)[spotlight] === wordsOf(text)[spotlight];
    return { text, spotlight: stays ? spotlight : null, chosen };
  });
}

export const choose = (state: State, chosen: Chosen): void => change(state, (learn) => ({ chosen: { ...learn.chosen, ...chosen } }));

export const spotlight = (state: State, word: number): void => change(state, () => ({ spotlight: word }));

/** The lesson as it was at first, with the sample sentence. */
export const reset = (state: State): void => change(state, ({ lesson }) => ({ ...START, lesson }));

/** Back to the inspector: to what was there, or to what the page begins with. */
export function inspect(state: State): void {
  state.learn.value = null;
  if (!state.trace.value) void begin(state, { ...DEFAULTS, theme: state.theme.value, language: state.language.value });
}

/** The inspector on a translation, with the equation of a cell where one is asked for. */
export async function inspectTranslation(state: State, request: TraceRequest, focus: Position | null): Promise<void> {
  batch(() => {
    state.view.value = "sentence";
    state.head.value = "mean";
    state.viewport.value = null;
  });
  await ask(state, request);
  batch(() => {
    state.focus.value = focus;
    state.drawer.value = focus ? "cell" : "";
    state.learn.value = null;
  });
}
