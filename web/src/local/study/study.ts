/** Answers of the lessons and of "why", in the worker. */
import type { InsideRequest, LessonRequest, NextRequest } from "../../source";
import { models, modelOf } from "../engine";
import type { Run } from "../model";
import { Writer } from "../writer";
import { inside, lessonOfEncoder, next } from "./inside";
import { WordTable, type WordFile } from "./table";
import { attribution, lens, measures } from "./why";
import { lessonOfWords } from "./words";

export type Study =
  | { what: "words"; file: string } // a WordFile as JSON, before any lesson
  | { what: "explain"; request: LessonRequest }
  | { what: "inside"; request: InsideRequest }
  | { what: "next"; request: NextRequest }
  | { what: "why"; model: string; run: Run; of: string; step: number; axis: string; against: number | null };

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
  if (question.what === "why") {
    const { run, step } = question;
    const model = modelOf(question.model);
    if (!(model instanceof Writer)) throw new Error(`${question.model} has no stack of layers with the logits of a text that it writes; choose a model that writes.`);
    if (question.of === "lens") return lens(model, run, step);
    if (question.of === "measures") return measures(model, run, step, question.axis);
    return attribution(model, run, step, question.against);
  }
  const translator = [...models.values()].find((model): model is Writer => model instanceof Writer && model.pairs);
  if (!translator) throw new Error("This lesson looks into a translator, and this file has none; export the page with one, such as en-de.");
  if (question.what === "explain") return lessonOfEncoder(translator, question.request);
  if (question.what === "inside") return inside(translator, question.request);
  return next(translator, question.request);
}
