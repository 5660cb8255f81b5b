/** Messages between the page and its worker: a question names what of `engine` or `study` answers it. */
import type { engine } from "./engine";
import type { study } from "./study/study";

export type Show = (text: string) => void; // is called with what is written so far
type Answers = ReturnType<typeof engine> & typeof study;
export type What = keyof Answers;
export type Asked<W extends What = What> = { what: W } & Parameters<Answers[W]>[0];
export type Answer<W extends What> = Awaited<ReturnType<Answers[W]>>;
export type Numbered = { id: number } & Asked;
export type Reply = { id: number } & ({ answer: unknown } | { refusal: string } | { written: string }); // so far

/** Calls what answers a question. */
export const answered = (answers: Answers, question: Asked, show: Show): unknown =>
  (answers[question.what] as unknown as (question: Asked, show: Show) => unknown)(question, show);
