/** The lessons: a sentence, one picture of what attention makes of it, and the way on. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Brand } from "../shell/rail/Rail";
import type { Lesson as Answer } from "../source";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import type { Learning } from "./address";
import { ColorsContext, useTheme } from "../color/theme";
import { Controls } from "./Controls";
import { beside, choose, reset, spotlight as put, turnBy, turnTo, write } from "./go";
import { lessonOf, LESSONS, requestsOf, SAMPLE, settingsOf, type Lesson } from "./lessons";
import { Picture } from "./pictures/Picture";
import { Road } from "./Road";
import { Sentence } from "./Sentence";
import type { Settings } from "./settings";
import { Trained } from "./Trained";
import { firstWord, wordsOf } from "./words";
import "./learn.css";
import "./pictures/pictures.css";
import "./pictures/tables.css";

const PAUSE = 300; // ms without a key until a sentence is asked for

/** What is on the screen: answers with what they were asked with. */
interface Shown {
  lesson: Lesson;
  settings: Settings;
  answers: Answer[];
  text: string;
  spotlight: number;
}

export function Learn({ state, learn }: { state: State; learn: Learning }) {
  const root = useRef<HTMLDivElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const colors = useTheme(root, state.dark.value);
  const pointed = useSignal<number | null>(null);
  const said = useSignal<string | null>(null);
  const lesson = lessonOf(learn.lesson);
  const text = learn.text ?? SAMPLE;
  const settled = useSettled(text, PAUSE);
  const words = wordsOf(settled);
  const within = (word: number | null) => (word !== null && word < words.length ? word : null);
  const chosen = within(learn.spotlight) ?? firstWord(words);
  const lit = within(pointed.value) ?? chosen;

  const requests = requestsOf(lesson, learn.chosen, settled, lit);
  const [attempt, setAttempt] = useState(0);
  const { value: shown, loading, error } = useLoaded<Shown>(
    lesson.name === "trained" ? null : JSON.stringify([lesson.name, requests, attempt]),
    async (signal) => ({
      lesson,
      settings: settingsOf(lesson, learn.chosen),
      text: settled,
      spotlight: lit,
      answers: await Promise.all(requests.map((each) => state.source.explain(each, signal))),
    }),
  );
  const first = useRef(true);
  useEffect(() => {
    pointed.value = null;
    said.value = null;
    if (!first.current) title.current?.focus(); // so that a screen reader and Tab go on from the new lesson
    first.current = false;
  }, [lesson.name]);

  const explanation = shown?.lesson === lesson ? shown.answers[0]?.explanation : undefined;
  // A place in another sentence than the picture's means nothing in it.
  const inPicture = shown && shown.text !== settled ? shown.spotlight : lit;
  const onPoint = (word: number | null) => (pointed.value = word);
  const onChoose = (word: number) => put(state, word);
  const onSay = (what: string | null) => (said.value = what);
  const place = LESSONS.indexOf(lesson) + 1;
  return (
    <ColorsContext.Provider value={colors}>
      <div class="rg-rail">
        <Brand state={state} />
        <Road lesson={lesson.name} onTurn={(name) => turnTo(state, name)} />
      </div>
      <main ref={root} class="rg-main rg-learn">
        <Sentence
          text={text}
          words={words}
          spotlight={lit}
          error={error}
          onWrite={(what) => write(state, what)}
          onPoint={onPoint}
          onChoose={onChoose}
        />
        <article class="rg-learn__lesson" aria-labelledby="rg-learn-title">
          <p class="rg-learn__place">lesson {place} of {LESSONS.length}</p>
          <h2 ref={title} id="rg-learn-title" class="rg-learn__title" tabIndex={-1}>{lesson.title}</h2>
          {lesson.says.map((paragraph) => <p key={paragraph} class="rg-learn__says">{paragraph}</p>)}
          <Controls lesson={lesson} chosen={learn.chosen} words={words} onChoose={(what) => choose(state, what)} />
          <div
            class="rg-learn__picture"
            data-lesson={lesson.name}
            data-stale={error !== null && explanation !== undefined}
            aria-busy={loading}
            onPointerOver={(event) => onSay((event.target as Element).closest("[data-says]")?.getAttribute("data-says") ?? null)}
            onPointerLeave={() => onSay(null)}
          >
            {error && !explanation && (
              <p class="rg-learn__empty">
                There is no picture of this sentence: {error}{" "}
                <button type="button" class="rg-button" onClick={() => setAttempt(attempt + 1)}>try again</button>
              </p>
            )}
            {error && shown && explanation && (
              <p class="rg-learn__stale">
                still the picture of “{shown.text}”{" "}
                <button type="button" class="rg-button rg-button--bare" onClick={() => setAttempt(attempt + 1)}>try again</button>
              </p>
            )}
            {lesson.name === "trained" && <Trained state={state} text={settled} onSay={onSay} />}
            {shown && explanation && (
              <Picture {...{ ...shown, state, onPoint, onChoose, onSay }} spotlight={Math.min(inPicture, explanation.tokens.length - 1)} />
            )}
          </div>
          <p class={`rg-learn__readout${said.value ? " rg-learn__readout--number rg-number" : ""}`}>{said.value ?? (shown && explanation ? computed(shown) : "")}</p>
        </article>
        <nav class="rg-learn__way" aria-label="along the road">
          <button type="button" class="rg-button" disabled={!beside(lesson.name, -1)} title="[" onClick={() => turnBy(state, -1)}>← previous</button>
          <button type="button" class="rg-button rg-button--bare" title="the sample sentence and the lesson as it was" onClick={() => reset(state)}>reset</button>
          <button type="button" class="rg-button rg-button--main" disabled={!beside(lesson.name, 1)} title="]" onClick={() => turnBy(state, 1)}>next →</button>
        </nav>
      </main>
    </ColorsContext.Provider>
  );
}

/** What the numbers are of, while none is pointed at. */
function computed({ lesson, answers }: Shown): string {
  const { settings, notes } = (answers.at(-1) as Answer).explanation;
  const { source, formula, heads, head_dim: dims, temperature } = settings;
  const parts = [
    ...(lesson.name === "words" ? [] : [`score ${formula}`]),
    ...(temperature === 1 ? [] : [`temperature ${temperature}`]),
    `${heads > 1 ? `${heads} heads of ` : ""}${dims} dimensions`,
    `vectors: ${source}`,
  ];
  return [`${parts.join(" · ")}.`, ...(notes ?? [])].join(" ");
}

/** A value once it has rested. */
function useSettled<T>(value: T, pause: number): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
