/** Answers the page's questions with a translator; runs in a worker, or wherever it is called. */
import type { Ablation } from "../source";
import type { Question } from "./messages";
import type { Traced } from "./translator";
import { Translator } from "./translator";

export type Engine = (question: Question) => Traced | Ablation | number | null;

export function engine(): Engine {
  let translator: Translator | null = null;
  return (question) => {
    if (question.what === "open") {
      translator = new Translator(question.file, fromBase64(question.weights));
      return null;
    }
    if (!translator) throw new Error("The model has not been opened; reload the page.");
    if (question.what === "trace") return translator.trace(question.wanted);
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
