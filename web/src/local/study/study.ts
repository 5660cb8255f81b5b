/** Answers of the lessons and of "why", in the worker. */
import type { InsideRequest, LessonRequest, NextRequest } from "../../source";
import { arithmetic, models, modelOf } from "../engine";
import type { Run } from "../model";
import { Writer } from "../writer";
import { inside, lessonOfEncoder, next } from "./inside";
import { WordTable, type WordFile } from "./table";
import { attribution, lens, measures } from "./why";
import { lessonOfWords } from "./words";

let table: WordTable | null = null;

function translator(): Writer {
  const found = [...models.values()].find((model): model is Writer => model instanceof Writer && model.pairs);
  if (!found) throw new Error("This lesson looks into a translator, and this file has none; export the page with one, such as en-de.");
  return found;
}

export const study = {
  /** Takes a WordFile as JSON, before any lesson. */
  words({ file }: { file: string }): void {
    table ??= new WordTable(JSON.parse(file) as WordFile);
  },
  async explain({ request }: { request: LessonRequest }) {
    if (request.projections === "trained") return lessonOfEncoder(translator(), request);
    if (!table) throw new Error("This file has no word vectors; export the page again.");
    return lessonOfWords(await arithmetic(), request, table);
  },
  inside: ({ request }: { request: InsideRequest }) => inside(translator(), request),
  next: ({ request }: { request: NextRequest }) => next(translator(), request),
  why({ model: name, run, of, step, axis, against }: { model: string; run: Run; of: string; step: number; axis: string; against: number | null }) {
    const model = modelOf(name);
    if (!(model instanceof Writer)) throw new Error(`${name} has no stack of layers with the logits of a text that it writes; choose a model that writes.`);
    if (of === "lens") return lens(model, run, step);
    return of === "measures" ? measures(model, run, step, axis) : attribution(model, run, step, against);
  },
};
