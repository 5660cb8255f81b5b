/** Answers the page's questions with a translator; runs in a worker, or wherever it is called. */
import type { Ablation } from "../source";
import { fromBase64 } from "./base64";
import type { ModelFile } from "./config";
import type { Question } from "./messages";
import type { Kept, Traced } from "./translator";
import { Translator } from "./translator";

export type Engine = (question: Question) => Traced | Kept | Ablation | number | null;

export function engine(): Engine {
  let translator: Translator | null = null;
  const nothing = (): Kept => ({ numbers: [], plain: [] });
  let kept = nothing;
  return (question) => {
    if (question.what === "open") {
      translator = new Translator(JSON.parse(question.model) as ModelFile, question.engine);
      translator.warm();
      return null;
    }
    if (!translator) throw new Error("The model has not been opened; reload the page.");
    if (question.what === "fill") {
      translator.fill(fromBase64(question.piece));
      return null;
    }
    if (question.what === "trace") {
      kept = nothing; // the numbers of the one before are the page's already
      const { info, run, kept: last } = translator.trace(question.wanted);
      kept = last;
      return { info, run };
    }
    if (question.what === "kept") return kept();
    if (question.what === "score") return translator.score(question.run, question.hidden);
    return translator.ablate(question.run, question.info, question.request);
  };
}
