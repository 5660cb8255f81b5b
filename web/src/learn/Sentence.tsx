/** The reader's sentence: to be edited, and its words to put in the spotlight. */
import { useId } from "preact/hooks";

interface SentenceProps {
  text: string;
  words: readonly string[];
  spotlight: number;
  error: string | null;
  onWrite(text: string): void;
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

export function Sentence({ text, words, spotlight, error, onWrite, onPoint, onChoose }: SentenceProps) {
  const id = useId();
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || !words.length) return;
    event.preventDefault();
    const next = (spotlight + by + words.length) % words.length;
    onChoose(next);
    (event.currentTarget as Element).querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <section class="rg-sentence" aria-label="sentence">
      <label class="rg-sentence__label" for={`${id}-text`}>your sentence</label>
      <input
        id={`${id}-text`}
        class="rg-sentence__text"
        type="text"
        spellcheck={false}
        autocomplete="off"
        value={text}
        aria-invalid={error !== null}
        aria-describedby={`${id}-error`}
        onInput={(event) => onWrite(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <p id={`${id}-error`} class="rg-sentence__error" role="status">{error}</p>
      <div class="rg-sentence__words" role="radiogroup" aria-label="word in the spotlight" onKeyDown={step} onPointerLeave={() => onPoint(null)}>
        {words.map((word, i) => (
          <button
            key={i}
            type="button"
            role="radio"
            class="rg-sentence__word"
            aria-checked={i === spotlight}
            tabIndex={i === spotlight ? 0 : -1}
            onPointerEnter={(event) => event.pointerType === "mouse" && onPoint(i)}
            onClick={() => onChoose(i)}
          >
            {word}
          </button>
        ))}
      </div>
    </section>
  );
}
