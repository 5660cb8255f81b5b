/** Answers the page's questions with a translator; runs in a worker, or wherever it is called. */
import type { Ablation } from "../source";
import { unpacked } from "./base64";
import type { ModelFile } from "./config";
import type { Question } from "./messages";
import type { Kept, Traced } from "./translator";
import { Translator } from "./translator";

export type Engine = (question: Question) => Traced | Kept | Ablation | number | null | Promise<null>;

export function engine(): Engine {
  let translator: Translator | null = null;
  let turn: Promise<null> = Promise.resolve(null); // what the file holds is taken piece by piece
  const nothing = (): Kept => ({ numbers: [], plain: [] });
  let kept = nothing;
  return (question) => {
    if (question.what === "open")
      return (turn = turn.then(async () => {
        const [model, code] = await Promise.all([unpacked(question.model), unpacked(question.engine)]);
        translator = new Translator(JSON.parse(new TextDecoder().decode(model)) as ModelFile, code);
        translator.warm();
        return null;
      }));
    if (question.what === "fill")
      return (turn = turn.then(async () => {
        translator?.fill(new Uint8Array(await unpacked(question.piece)));
        return null;
      }));
    if (!translator) throw new Error("The model has not been opened; reload the page.");
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
