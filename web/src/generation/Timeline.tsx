/** Prompt, then each step: its token, how likely it was, and what else it might have been. */
import { useRef } from "preact/hooks";
import type { AxisInfo, GenerationInfo } from "../source";
import { labelAt, markOf, tokenLabel } from "../weights/units";
import { along } from "../weights/WordRow";
import { counted, percent } from "../weights/words";
import { useWords } from "../words/words";

interface TimelineProps {
  axis: AxisInfo;
  generation: GenerationInfo;
  step: number;
  forced: number; // so many of the first steps were not the model's choice
  onChoose(step: number): void;
}

const PROMPT_SHOWN = 24; // its last tokens
const OTHERS = 2;
const STEPS_SHOWN = 240; // around the chosen one

export function Timeline({ axis, generation, step, forced, onChoose }: TimelineProps) {
  const say = useWords();
  const list = useRef<HTMLOListElement>(null);
  const style = markOf(axis.tokens);
  const given = axis.tokens.slice(0, axis.prompt);
  const skipped = Math.max(0, given.length - PROMPT_SHOWN);
  const last = generation.steps.length - 1;
  const from = Math.max(0, Math.min(step - STEPS_SHOWN / 2, last + 1 - STEPS_SHOWN));
  const more = (count: number, where: string) => count > 0 && <li class="rg-note">… {counted(count, "step")} {where}</li>;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = along(event, step, last + 1);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own use for arrows
    onChoose(next);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  return (
    <div class="rg-generation__timeline">
      {given.length > 0 && (
        <p class="rg-row rg-generation__prompt">
          <span class="rg-note">{say("steps.prompt")}</span>
          {skipped > 0 && <span> … {counted(skipped, "token")} before </span>}
          {given.slice(skipped).map((_, index) => (
            <span key={index} class="rg-chip">{labelAt(given, skipped + index, style)}</span>
          ))}
        </p>
      )}
      <ol class="rg-generation__steps" ref={list} aria-label="steps" onKeyDown={onKeyDown}>
        {more(from, "before")}
        {generation.steps.slice(from, from + STEPS_SHOWN).map((each, place) => {
          const index = from + place;
          const others = each.candidates.filter((candidate) => candidate.token !== each.token).slice(0, OTHERS);
          return (
            <li key={index}>
              <button
                type="button"
                class="rg-generation__card"
                aria-pressed={index === step}
                tabIndex={index === step ? 0 : -1}
                aria-label={`step ${index + 1}: ${tokenLabel(each.token, style)}, ${percent(each.probability)}${index === forced - 1 ? ", forced" : ""}`}
                onClick={() => onChoose(index)}
              >
                <span>{tokenLabel(each.token, style)}</span>
                <span>
                  <span class="rg-track" style={{ "--part": `${each.probability * 100}%` }} />
                  <span class="rg-number">{percent(each.probability)}</span>
                </span>
                {index === forced - 1 && <span style={{ color: "var(--rg-accent)" }}>{say("steps.forced")}</span>}
                {others.slice(0, index === forced - 1 ? 1 : OTHERS).map((other) => (
                  <span key={other.token} class="rg-note">
                    <span>{tokenLabel(other.token, style)}</span>
                    <span class="rg-number">{percent(other.probability)}</span>
                  </span>
                ))}
              </button>
            </li>
          );
        })}
        {more(last + 1 - from - STEPS_SHOWN, "after")}
      </ol>
    </div>
  );
}
