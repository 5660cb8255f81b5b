/** Other tokens that a step might have written; a click puts one there, and the model continues from it. */
import type { GenerationInfo } from "../source";
import { tokenLabel, type Style } from "../weights/units";
import { percent } from "../weights/words";

interface CandidatesProps {
  step: GenerationInfo["steps"][number];
  number: number; // of the step, from 1
  style: Style;
  onForce: ((id: number) => void) | null; // null: nothing can be written here
}

export function Candidates({ step, number, style, onForce }: CandidatesProps) {
  return (
    <div class="rg-generation__candidates">
      <h3>
        candidates of step {number} {onForce && <span data-screen>choose one to go on from it</span>}
      </h3>
      <ol>
        {step.candidates.map((candidate, index) => {
          const { token, probability, id } = candidate;
          const chosen = id == null ? token === step.token : id === step.id;
          const able = onForce && !chosen && id != null;
          const content = (
            <>
              <span class="rg-generation__bar" style={{ width: `${probability * 100}%` }} />
              <span class="rg-generation__candidate">{tokenLabel(token, style)}</span>
              <span class="rg-number">{percent(probability)}</span>
            </>
          );
          return (
            <li key={index} class={chosen ? "rg-generation__candidate--chosen" : undefined}>
              {able ? (
                <button type="button" class="rg-generation__choose" title="write this word here and go on from it" onClick={() => onForce(id)}>
                  {content}
                </button>
              ) : (
                <span class="rg-generation__choose">{content}</span>
              )}
            </li>
          );
        })}
      </ol>
      {!step.candidates.some((each) => each.token === step.token) && (
        <p class="rg-views__hint">
          chosen: {tokenLabel(step.token, style)} <span class="rg-number">{percent(step.probability)}</span>
        </p>
      )}
    </div>
  );
}
