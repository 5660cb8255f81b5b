/** The reader's sentence: to be edited, and its words to put in the spotlight. */
import { useId } from "preact/hooks";
import { useWords } from "../words/words";

interface SentenceProps {
  text: string;
  words: readonly string[];
  spotlight: number;
  error: string | null;
  standIns: Readonly<Record<string, string | null>>; // of words that have no vector of their own
  onWrite(text: string): void;
  onPoint(word: number | null): void;
  onChoose(word: number): void;
}

export function Sentence({ text, words, spotlight, error, standIns, onWrite, onPoint, onChoose }: SentenceProps) {
  const id = useId();
  const say = useWords();
  const unknown = Object.entries(standIns)
    .filter(([word]) => words.includes(word))
    .sort(([one], [other]) => words.indexOf(one) - words.indexOf(other));
  const note = ([word, other]: [string, string | null]) => (other === null ? say("standin.none", { word }) : say("standin", { word, other }));
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || !words.length) return;
    event.preventDefault();
    const next = (spotlight + by + words.length) % words.length;
    onChoose(next);
    (event.currentTarget as Element).querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <section class="rg-sentence" aria-label={say("sentence")}>
      <label class="rg-sentence__label" for={`${id}-text`}>{say("sentence.yours")}</label>
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
      <div class="rg-sentence__words" role="radiogroup" aria-label={say("sentence.spotlight")} onKeyDown={step} onPointerLeave={() => onPoint(null)}>
        {words.map((word, i) => (
          <button
            key={i}
            type="button"
            role="radio"
            class={`rg-sentence__word${word in standIns ? " rg-sentence__word--unknown" : ""}`}
            aria-checked={i === spotlight}
            tabIndex={i === spotlight ? 0 : -1}
            onPointerEnter={(event) => event.pointerType === "mouse" && onPoint(i)}
            onClick={() => onChoose(i)}
          >
            {word}
          </button>
        ))}
      </div>
      {unknown.map((each) => <p key={each[0]} class="rg-sentence__note">{note(each)}</p>)}
    </section>
  );
}
