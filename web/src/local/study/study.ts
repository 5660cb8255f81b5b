/** Answers of the lessons and of "why", in the worker. */
import type { InsideRequest, LessonRequest, NextRequest } from "../../source";
import { Translator, type Run } from "../translator";
import { inside, lessonOfEncoder, next } from "./inside";
import { WordTable, type WordFile } from "./table";
import { attribution, lens, measures } from "./why";
import { lessonOfWords } from "./words";

export type Study =
  | { what: "words"; file: string } // a WordFile as JSON, before any lesson
  | { what: "explain"; request: LessonRequest }
  | { what: "inside"; request: InsideRequest }
  | { what: "next"; request: NextRequest }
  | { what: "why"; run: Run; of: string; step: number; axis: string; against: number | null };

let table: WordTable | null = null;

export const isStudy = (question: { what: string }): question is Study => ["words", "explain", "inside", "next", "why"].includes(question.what);

export function study(question: Study): unknown {
  if (question.what === "words") {
    table ??= new WordTable(JSON.parse(question.file) as WordFile);
    return null;
  }
  if (question.what === "explain" && question.request.projections !== "trained") {
    if (!table) throw new Error("This file has no word vectors; export the page again.");
    return lessonOfWords(question.request, table);
  }
  const { last: translator } = Translator;
  if (!translator) throw new Error("The model has not been opened; reload the page.");
  if (question.what === "explain") return lessonOfEncoder(translator, question.request);
  if (question.what === "inside") return inside(translator, question.request);
  if (question.what === "next") return next(translator, question.request);
  const { run, step } = question;
  if (question.of === "lens") return lens(translator, run, step);
  if (question.of === "measures") return measures(translator, run, step, question.axis);
  return attribution(translator, run, step, question.against);
}
