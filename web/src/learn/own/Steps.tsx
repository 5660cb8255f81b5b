/** The output as it is written: one word is chosen, and what comes after it is not there yet. */
import { useWords } from "../../words/words";

interface StepsProps {
  words: readonly string[];
  step: number;
  label: string;
  onChoose(step: number): void;
}

export function Steps({ words, step, label, onChoose }: StepsProps) {
  const say = useWords();
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = (step + by + words.length) % words.length;
    onChoose(next);
    (event.currentTarget as Element).querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <div class="rg-writing">
      <span class="rg-writing__label">{label}</span>
      <div class="rg-sentence__words rg-writing__words" role="radiogroup" aria-label={say("cross.choose")} onKeyDown={move}>
        {words.map((word, i) => (
          <button
            key={i}
            type="button"
            role="radio"
            class={`rg-sentence__word${i > step ? " rg-writing__later" : ""}`}
            aria-checked={i === step}
            tabIndex={i === step ? 0 : -1}
            onClick={() => onChoose(i)}
          >
            {word}
          </button>
        ))}
      </div>
    </div>
  );
}
