/** Tokens as a reader writes them: without the mark of a word's beginning, the end by its name. */
import type { Lesson as Answer } from "../source";
import type { Say } from "../words/words";

export function readable(token: string, say: Say): string {
  return token === "</s>" ? say("end") : token.replaceAll("▁", "") || "␣";
}

/** The answer with readable tokens. */
export function labeled(answer: Answer, say: Say): Answer {
  const { explanation, geometry } = answer;
  if (explanation.settings.tap === null) return answer;
  const names = (tokens: readonly string[]) => tokens.map((token) => readable(token, say));
  return {
    ...answer,
    explanation: { ...explanation, tokens: names(explanation.tokens), key_tokens: names(explanation.key_tokens) },
    geometry: geometry && { ...geometry, token: readable(geometry.token, say) },
  };
}
