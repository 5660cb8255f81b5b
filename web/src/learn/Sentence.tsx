/** The reader's sentence: to be edited, and its words to put in the spotlight. */
import { useId } from "preact/hooks";
import { WordRow } from "../weights/WordRow";
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
  return (
    <section class="rg-sentence" aria-label={say("sentence")}>
      <label class="rg-note" for={`${id}-text`}>{say("sentence.yours")}</label>
      <input
        id={`${id}-text`}
        class="rg-field rg-sentence__text"
        type="text"
        spellcheck={false}
        autocomplete="off"
        value={text}
        aria-invalid={error !== null}
        aria-describedby={`${id}-error`}
        onInput={(event) => onWrite(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <p id={`${id}-error`} class="rg-note rg-note--error rg-sentence__error" role="status">{error}</p>
      <WordRow name={say("sentence.spotlight")} words={words} chosen={spotlight} look={(i) => ((words[i] as string) in standIns ? "rg-words__word--unknown" : "")} onChoose={onChoose} onPoint={onPoint} />
      {unknown.map((each) => <p key={each[0]} class="rg-note">{note(each)}</p>)}
    </section>
  );
}
