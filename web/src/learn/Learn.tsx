/** The lessons: a sentence, one picture of what attention makes of it, and the way on. */
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Brand } from "../shell/rail/Rail";
import type { Lesson as Answer } from "../source";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import type { Learning } from "./address";
import { ColorsContext, useTheme } from "../color/theme";
import { useWords, type Say } from "../words/words";
import { Controls } from "./Controls";
import { beside, choose, reset, spotlight as put, turnBy, turnTo, write } from "./go";
import { labeled } from "./labels";
import { knowsQueries, lessonOf, LESSONS, requestsOf, SAMPLE, settingsOf, type Lesson, type LessonName } from "./lessons";
import { OwnPicture } from "./own/OwnPicture";
import { Picture } from "./pictures/Picture";
import type { Settings } from "./settings";
import { firstWord, wordsOf } from "./words";
import "./learn.css";
import "./pictures/pictures.css";
import { WordRow } from "../weights/WordRow";
import "./pictures/tables.css";

const PAUSE = 300; // ms without a key until a sentence is asked for

/** Answers on the screen, with their requests. */
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
  const say = useWords();
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
    lesson.own ? null : JSON.stringify([lesson.name, requests, attempt]),
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

  const current = shown?.lesson === lesson ? shown : null;
  const answers = current?.answers.map((each) => labeled(each, say)) ?? [];
  const [answer] = answers;
  // A place in another sentence than the picture's means nothing in it.
  const inPicture = shown && shown.text !== settled ? shown.spotlight : lit;
  const onChoose = (word: number) => put(state, word);
  // The picture may be of tokens, several to a word.
  const wordOf = (token: number | null) => (token === null ? null : (answer?.words[token] ?? null));
  const onPointToken = (token: number | null) => (pointed.value = wordOf(token));
  const onChooseToken = (token: number) => {
    const word = wordOf(token);
    if (word !== null) onChoose(word);
  };
  const token = Math.max(0, answer?.words.indexOf(inPicture) ?? 0);
  const place = LESSONS.indexOf(lesson) + 1;
  const again = (bare: boolean) => (
    <button type="button" class={`rg-button${bare ? " rg-button--bare" : ""}`} onClick={() => setAttempt(attempt + 1)}>{say("again")}</button>
  );
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
          standIns={answer?.stand_ins ?? {}}
          onWrite={(what) => write(state, what)}
          onPoint={(word) => (pointed.value = word)}
          onChoose={onChoose}
        />
        <article class="rg-learn__lesson" aria-labelledby="rg-learn-title">
          <p class="rg-note">{say("place", { place, count: LESSONS.length })}</p>
          <h2 ref={title} id="rg-learn-title" class="rg-learn__title" tabIndex={-1}>{say(`lesson.${lesson.name}.title`)}</h2>
          {([1, 2] as const).map((part) => <p key={part} class="rg-learn__says">{say(`lesson.${lesson.name}.${part}`)}</p>)}
          <Controls lesson={lesson} chosen={learn.chosen} words={words} onChoose={(what) => choose(state, what)} />
          <div
            class="rg-learn__picture"
            data-lesson={lesson.name}
            data-stale={error !== null && answer !== undefined}
            aria-busy={loading}
            onPointerMove={(event) => (said.value = (event.target as Element).closest("[data-says]")?.getAttribute("data-says") ?? null)}
            onPointerLeave={() => (said.value = null)}
          >
            {error && !answer && <p class="rg-note">{say("picture.none")} {error} {again(false)}</p>}
            {error && shown && answer && <p class="rg-note rg-learn__stale">{say("picture.stale", { text: shown.text })} {again(true)}</p>}
            {lesson.own && (
              <OwnPicture
                state={state}
                lesson={lesson}
                settings={settingsOf(lesson, learn.chosen)}
                text={settled}
                words={words}
                spotlight={lit}
                onPoint={(word) => (pointed.value = word)}
                onChoose={onChoose}
                onSet={(what) => choose(state, what)}
              />
            )}
            {current && answer && (
              <Picture
                {...current}
                answers={answers}
                spotlight={Math.min(token, answer.explanation.tokens.length - 1)}
                onPoint={onPointToken}
                onChoose={onChooseToken}
              />
            )}
          </div>
          <p class={`rg-learn__readout ${said.value ? "rg-number" : "rg-note"}`}>{said.value ?? (current ? computed(current, say) : "\u00a0")}</p>
        </article>
        <nav class="rg-learn__way" aria-label={say("way")}>
          <button type="button" class="rg-button" disabled={!beside(lesson.name, -1)} title="[" onClick={() => turnBy(state, -1)}>← {say("previous")}</button>
          <button type="button" class="rg-button rg-button--bare" title={say("reset.title")} onClick={() => reset(state)}>{say("reset")}</button>
          <button type="button" class="rg-button rg-button--main" disabled={!beside(lesson.name, 1)} title="]" onClick={() => turnBy(state, 1)}>{say("next")} →</button>
        </nav>
      </main>
    </ColorsContext.Provider>
  );
}

/** Subject of the numbers, while none is pointed at. */
function computed({ lesson, settings: asked, answers }: Shown, say: Say): string {
  const last = answers.at(-1) as Answer;
  const { source, formula: written, heads, head_dim: dims, temperature } = last.explanation.settings;
  const formula = knowsQueries(lesson) ? written : written.replaceAll("q", "a").replaceAll("k", "b");
  const parts = [
    ...(lesson.name === "words" ? [] : [say("read.score", { formula })]),
    ...(temperature === 1 ? [] : [say("read.temperature", { temperature })]),
    heads > 1 ? say("read.heads", { heads, dims }) : say("read.dimensions", { dims }),
    say("read.vectors", { source }),
  ];
  const notes = [`${parts.join(" · ")}.`];
  if (asked.projections === "trained") return [...notes, say("read.trained", { source, layer: asked.layer })].join(" ");
  if (heads * dims < last.dimensions) notes.push(say("read.directions", { whole: last.dimensions, dims: heads * dims }));
  if (asked.projections === "random") notes.push(say("read.random"));
  return notes.join(" ");
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

function Sentence({ text, words, spotlight, error, standIns, onWrite, onPoint, onChoose }: SentenceProps) {
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

function Road({ lesson, onTurn }: { lesson: LessonName; onTurn(lesson: LessonName): void }) {
  const say = useWords();
  const road = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where the road is a strip that scrolls, or longer than the window, the lesson is kept in sight.
    road.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [lesson]);
  return (
    <nav ref={road} class="rg-road" aria-label={say("lessons")}>
      <ol>
        {LESSONS.map(({ name }, i) => (
          <li key={name}>
            <button
              type="button"
              class="rg-road__lesson"
              aria-current={name === lesson ? "step" : undefined}
              title={say(`lesson.${name}.title`)}
              onClick={() => onTurn(name)}
            >
              <span class="rg-road__number rg-number">{i + 1}</span>
              <span class="rg-road__title">{say(`lesson.${name}.title`)}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
