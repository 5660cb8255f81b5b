/** Answers the page's questions with a translator; runs in a worker, or wherever it is called. */
import type { Ablation } from "../source";
import type { ModelFile } from "./config";
import type { Question } from "./messages";
import type { Kept, Traced } from "./translator";
import { Translator } from "./translator";

export type Engine = (question: Question) => Traced | Kept | Ablation | number | null;

export function engine(): Engine {
  let translator: Translator | null = null;
  let filled = 0; // bytes
  const nothing = (): Kept => ({ numbers: [], plain: [] });
  let kept = nothing;
  return (question) => {
    if (question.what === "open") {
      translator = new Translator(JSON.parse(question.model) as ModelFile);
      translator.warm();
      return null;
    }
    if (!translator) throw new Error("The model has not been opened; reload the page.");
    if (question.what === "fill") {
      const bytes = fromBase64(question.piece);
      translator.fill(filled, bytes);
      filled += bytes.length;
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

type Decoding = { fromBase64?: (text: string) => Uint8Array };

export function fromBase64(text: string): Uint8Array {
  const { fromBase64: native } = Uint8Array as unknown as Decoding; // not in every browser yet
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
