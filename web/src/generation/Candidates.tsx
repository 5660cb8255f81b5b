/** Other tokens that a step might have written; a click puts one there, and the model continues from it. */
import type { GenerationInfo } from "../source";
import { tokenLabel, type Style } from "../weights/units";
import { Ranked } from "../weights/Ranked";
import { percent } from "../weights/words";
import { useWords } from "../words/words";

interface CandidatesProps {
  step: GenerationInfo["steps"][number];
  number: number; // of the step, from 1
  style: Style;
  onForce: ((id: number) => void) | null; // null: nothing can be written here
}

export function Candidates({ step, number, style, onForce }: CandidatesProps) {
  const say = useWords();
  return (
    <div>
      <h3 class="rg-section">
        {say("steps.candidates", { step: number })} {onForce && <span class="rg-note" data-screen>{say("steps.choose")}</span>}
      </h3>
      <Ranked
        rows={step.candidates.map(({ token, probability, id }) => {
          const own = id == null ? token === step.token : id === step.id;
          const able = onForce && !own && id != null;
          return { label: tokenLabel(token, style), share: probability, own, ...(able && { title: say("steps.force"), onChoose: () => onForce(id) }) };
        })}
      />
      {!step.candidates.some((each) => each.token === step.token) && (
        <p class="rg-note">
          {say("steps.chosen")}: {tokenLabel(step.token, style)} <span class="rg-number">{percent(step.probability)}</span>
        </p>
      )}
    </div>
  );
}
