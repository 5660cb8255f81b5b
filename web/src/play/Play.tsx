/** You are the attention: the ribbons are hidden, the reader draws them, and the model says how probable its words are then. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Pointed } from "../links/Links";
import { copyPicture, pngFile } from "../picture/files";
import { picture } from "../picture/picture";
import { addressOf } from "../shell/address";
import type { GenerationInfo, TraceInfo } from "../source";
import { attempt, made, type State } from "../state";
import type { Held } from "../translation/pull";
import { playable, RibbonFigure } from "../translation/RibbonFigure";
import { chances } from "../translation/sentences";
import { write } from "../url";
import { painted, useLoaded } from "../weights/loaded";
import { Ranked } from "../weights/Ranked";
import { useSize } from "../weights/size";
import { tokenLabel, markOf } from "../weights/units";
import { percent } from "../weights/words";
import { filled, useWords } from "../words/words";
import * as game from "./game";
import "./play.css";

type Steps = GenerationInfo["steps"];

export function Play({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const root = useRef<HTMLElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const held = useSignal<Held | null>(null);
  const chosen = useSignal<number | null>(null); // the word that is asked for
  const last = useSignal<number | null>(null); // that was given a line
  const empty = useMemo(() => game.board(trace), [trace]);
  const lines = game.linesOf(state.drawn.value ?? [], empty);
  const on = useMemo(() => game.board(trace, lines), [trace, state.drawn.value]);
  useEffect(() => root.current?.scrollIntoView({ block: "start" }), []);
  useEffect(() => {
    held.value = chosen.value = last.value = null;
  }, [trace]);

  const steps = async (of: game.Lines, signal: AbortSignal): Promise<Steps> => {
    const answer = await made(state, game.graded(state, game.looksOf(of, empty)) as NonNullable<ReturnType<typeof game.graded>>, signal);
    return answer.generation?.steps ?? [];
  };
  const key = JSON.stringify([trace.id, state.drawn.value]);
  const answer = useLoaded(key, async (signal) => ({ id: trace.id, steps: await steps(lines, signal) }));
  const { now: others } = useLoaded(trace.id, async (signal) => {
    await painted(); // the sentence first
    return { even: game.score(await steps(new Map(), signal)), random: game.score(await steps(game.thoughtless(empty), signal)) };
  });
  const own = trace.generation?.steps ?? [];
  const drawn = answer.value?.id === trace.id ? answer.value.steps : null;

  const words = on.output.flatMap((word, index) => (playable(word) ? [index] : []));
  const left = words.filter((index) => !lines.has(index));
  const asked = chosen.value ?? left[0] ?? null;
  const draw = (word: number, to: number) => {
    state.drawn.value = game.named(new Map(lines).set(word, to), on);
    [chosen.value, last.value] = [null, word];
  };
  const letGo = (done: boolean) => {
    const { value: now } = held;
    held.value = null;
    if (done && now) draw(now.word, now.key);
  };
  const choose = ({ side, index }: Pointed) => {
    if (side === "query") chosen.value = playable(on.output[index]) ? index : null;
    else if (asked !== null) draw(asked, index);
  };

  const prompt = trace.axes[on.tap.queries]?.prompt ?? 1;
  const sure = drawn ? chances(on.output, prompt, drawn) : [];
  const marks = drawn && left.length === 0 ? game.grades(on, own, drawn).filter((each) => each !== null) : null;
  const heads = game.crossed(trace).reduce((sum, tap) => sum + tap.heads, 0);
  const total = drawn && game.score(drawn);
  const scores = [
    [say("play.you"), total],
    [say("play.heads", { heads }), game.score(own)],
    [say("play.even"), others?.even ?? null],
    [say("play.random"), others?.random ?? null],
  ] as const;
  const day = new Date();
  const todays = game.ofDay(day);
  const reads = state.models.value.find(({ name }) => name === trace.model)?.description.startsWith("en");
  const date = day.toLocaleDateString({ en: "en-GB", de: "de-DE", hi: "hi-IN" }[state.language.value], { day: "numeric", month: "long" });
  const about = `${say("play.title")}${trace.text === todays ? `, ${date}` : ""}: ${total === null ? "" : `${game.points(total)} / ${game.points(game.score(own))}`}`;
  const link = () => {
    const { protocol, hostname, origin, pathname } = window.location;
    return protocol.startsWith("http") && !/^(localhost|127\.|\[)/.test(hostname) ? `${origin}${pathname}?${write({ ...addressOf(state), drawn: [] })}` : "";
  };
  const draft = async () => {
    const view = root.current?.querySelector<HTMLElement>(".rg-play__picture") as HTMLElement;
    await copyPicture(await pngFile(picture(view, [about, trace.text, link()].filter(Boolean).join(" · "))));
  };
  return (
    <section class="rg-views rg-play" aria-label="you are the attention" ref={root}>
      <header class="rg-play__head">
        <h2 class="rg-panel__title">{say("play.title")}</h2>
        <p>{filled(say("play.about", { heads }), { ask: <strong>{say("play.ask")}</strong> })}</p>
        <div class="rg-row">
          {reads && <button type="button" class="rg-button" aria-pressed={trace.text === todays} onClick={() => void game.play(state, todays)}>{say("play.day", { date })}</button>}
          {reads && <button type="button" class="rg-button" onClick={() => void game.play(state, game.another(trace.text))}>{say("play.another")}</button>}
          <button type="button" class="rg-button" disabled={!lines.size} onClick={() => (state.drawn.value = [])}>{say("play.again")}</button>
          <button type="button" class="rg-button" onClick={() => void game.leave(state)}>{say("play.own")}</button>
        </div>
      </header>
      <div class="rg-stack rg-play__picture">
        <p class="rg-play__asked" aria-live="polite" data-screen>
          {asked === null ? say("play.all") : filled(say("play.where"), { word: <strong>{on.output[asked]?.label}</strong> })}
          <br />
          {drawn && last.value !== null && !answer.loading && <Outcome label={on.output[last.value]?.label ?? ""} chance={sure[last.value] ?? 0} rather={rather(on, drawn, last.value)} />}
        </p>
        <div class="rg-translation__frame" ref={frame}>
          {width > 0 && (
            <RibbonFigure
              aligned={on}
              width={width}
              locked={asked === null ? [] : [{ side: "query", index: asked }]}
              chances={sure}
              pulled={new Set(lines.keys())}
              pull={held.value}
              free
              onPull={(word, to) => (held.value = { word, from: to, key: to, request: null, trace: null, next: null })}
              onLetGo={letGo}
              onLock={choose}
              onRelease={() => (chosen.value = null)}
            />
          )}
        </div>
        {answer.error && <p class="rg-note rg-note--error" role="alert">{answer.error}</p>}
        <section class="rg-play__scores" aria-label={say("play.scores")} aria-live="polite">
          <Ranked rows={scores.map(([label, value], i) => ({ label, share: value === null ? NaN : value / 100, own: i === 0 }))} />
        </section>
        {marks && (
          <p class="rg-play__squares" role="img" aria-label={marks.map((grade, i) => `${on.output[words[i] as number]?.label}: ${game.GRADES[grade]}`).join("; ")}>
            {marks.map((grade, i) => <span key={i} class="rg-play__square" style={{ background: game.COLORS[grade] }} title={`${on.output[words[i] as number]?.label} keeps ${game.GRADES[grade]} of its own probability`} />)}
          </p>
        )}
      </div>
      {marks && total !== null && (
        <div class="rg-row">
          <Copy state={state} name={say("play.squares")} copy={() => navigator.clipboard.writeText([about, marks.map((grade) => game.SQUARES[grade]).join(""), link()].filter(Boolean).join("\n"))} />
          <Copy state={state} name={say("play.link")} copy={() => navigator.clipboard.writeText(window.location.href)} />
          <Copy state={state} name={say("play.picture")} copy={draft} />
        </div>
      )}
      <p class="rg-note">
        {say("play.note")}
      </p>
    </section>
  );
}

/** What the model would sooner write at a word under the lines; null where it is the word. */
function rather({ trace, tap, output }: ReturnType<typeof game.board>, drawn: Steps, word: number) {
  const axis = trace.axes[tap.queries];
  const span = output[word];
  const step = span && drawn.slice(span.first - (axis?.prompt ?? 1), span.end - (axis?.prompt ?? 1)).find(({ id, candidates: [best] }) => best && best.id !== id);
  const best = step?.candidates[0];
  return best ? { label: tokenLabel(best.token, markOf(axis?.tokens ?? [])), chance: best.probability } : null;
}

function Outcome({ label, chance, rather: other }: { label: string; chance: number; rather: ReturnType<typeof rather> }) {
  const say = useWords();
  const word = <strong>{label}</strong>;
  return (
    <span class="rg-note">
      {other ? filled(say("play.rather"), { word, chance: percent(chance), other: <strong>{other.label}</strong>, rather: percent(other.chance) }) : <>{word} {percent(chance)}</>}
    </span>
  );
}

function Copy({ state, name, copy }: { state: State; name: string; copy(): Promise<void> }) {
  const say = useWords();
  const done = useSignal(false);
  const act = async () => {
    await copy();
    done.value = true;
    window.setTimeout(() => (done.value = false), 1500);
  };
  return <button type="button" class="rg-button" onClick={() => void attempt(state, act)}>{done.value ? say("play.copied") : name}</button>;
}
