/** The output, a button for each token: the one to ask about. */
import { useRef } from "preact/hooks";
import type { GenerationInfo } from "../source";
import { tokenLabel, type Style } from "../weights/units";

interface StepsProps {
  steps: GenerationInfo["steps"];
  step: number;
  style: Style;
  onChoose(step: number): void;
}

export function Steps({ steps, step, style, onChoose }: StepsProps) {
  const list = useRef<HTMLOListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own use for arrows
    const next = Math.min(steps.length - 1, Math.max(0, to));
    onChoose(next);
    list.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <ol class="rg-why__steps" ref={list} aria-label="the word to ask about" onKeyDown={onKeyDown}>
      {steps.map((each, index) => (
        <li key={index}>
          <button
            type="button"
            class={`rg-chips__chip${index === step ? " rg-chips__chip--on" : ""}`}
            aria-pressed={index === step}
            aria-label={`step ${index + 1}: ${tokenLabel(each.token, style)}`}
            tabIndex={index === step ? 0 : -1}
            onClick={() => onChoose(index)}
          >
            {tokenLabel(each.token, style)}
          </button>
        </li>
      ))}
    </ol>
  );
}
