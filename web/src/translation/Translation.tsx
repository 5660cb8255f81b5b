/** The translation: source and output as words, and ribbons of cross-attention between them. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { positionsToggled, strongestCell, useAbout, useLocks } from "../flow/locks";
import type { Pointed } from "../links/Links";
import type { Way } from "../source";
import { stepOf, type State } from "../state";
import { Changed } from "../off/Changed";
import { bringBack, namesOf, off, rewrites, strike } from "../off/switch";
import { Choice } from "../weights/Choice";
import { useSize } from "../weights/size";
import { painted, useLoaded } from "../weights/loaded";
import { fetchRows } from "../weights/matrix";
import { knows, positionsOf, type Unit } from "../weights/units";
import { captionWords, percent } from "../weights/words";
import { useWords, type Say } from "../words/words";
import { play } from "../play/game";
import { leftOut, useAligned, type Aligned } from "./aligned";
import { LITTLE, MUCH, needsOf } from "./needed";
import { pulledWords, puller } from "./pull";
import { RibbonFigure } from "./RibbonFigure";
import { chances, type StepChoice } from "./sentences";
import { THINNEST_SHARE } from "./ribbons";
import "./translation.css";

const NONE: Unit[] = [];
const WAYS = ["anywhere", "across", "within"] as const;

/** `plain`: without the choice of layer, head and step. */
export function Translation({ state, plain = false }: { state: State; plain?: boolean }) {
  const say = useWords();
  const step = state.aligned;
  const pieces = state.pieces;
  const { held, take, letGo } = useMemo(() => puller(state), [state]);
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);

  const trace = state.trace.value;
  const tap = state.tap.value;
  const { aligned, loading, error } = useAligned(state, step.value, pieces.value);
  const rows = useMemo(() => aligned?.output.map((word) => word.rows) ?? [], [aligned]);
  const { hover, columns, locked, release } = useLocks(state, rows, aligned?.source ?? NONE, [aligned?.trace.id, aligned?.output.length, aligned?.source.length]);

  const relies = !state.busy.value && trace?.can_ablate && state.source.abilities.ablate && trace.generation && trace.axes["source"] && !trace.axes["source"].peaks ? trace.id : null;
  const way = useSignal<Way>("anywhere");
  const reliance = useLoaded(relies && `${relies} ${way.value}`, async (signal) => {
    await painted(); // the sentence first
    const layers = trace?.taps.filter(({ kind }) => kind === "cross") ?? [];
    const [words, ...maps] = await Promise.all([
      state.source.reliance(relies as string, way.value, signal),
      ...layers.map((each) => fetchRows(state.source, relies as string, each, "mean", "weight", { first: 0, end: each.rows }, signal)),
    ]);
    return { id: relies, words, maps };
  }).value;
  const wrote = aligned?.trace.generation;
  const { sure, relied, needs } = useMemo(() => {
    const prompt = (wrote && aligned?.trace.axes[wrote.axis]?.prompt) ?? 1;
    const sure = wrote && aligned ? chances(aligned.output, prompt, wrote.steps) : [];
    if (!aligned || reliance?.id !== aligned.trace.id) return { sure, relied: null, needs: [] };
    const relied = aligned.source.map((word) => reliance.words.find((each) => each.first === word.first && each.end === word.end) ?? null);
    return { sure, relied, needs: aligned.step === "output" ? needsOf(aligned, sure, relied, reliance.maps) : [] };
  }, [aligned, reliance]);
  useEffect(() => {
    state.needs.value = needs;
    return () => {
      state.needs.value = [];
    };
  }, [needs]);

  // The sentence above speaks of the row that predicts the word; the step that reads it is another row.
  const pointed = hover.value ?? locked[locked.length - 1] ?? null;
  useAbout(state, aligned && pointed && aligned.step === "output" ? cellOf(aligned, pointed) : null);

  if (!trace || !tap) return null;

  const lock = ({ side, index }: Pointed) => {
    const span = side === "key" ? aligned?.source[index] : aligned?.output[index]?.rows;
    if (!span || span.end === span.first) return;
    if (side === "key") return void (columns.value = positionsToggled(columns.value, span));
    state.locked.value = positionsToggled(state.locked.value, span);
    if (step.value === "output") state.step.value = stepOf(state, tap, span.first); // the drawer of a word is of this one
  };
  const ask = (query: number, key: number) => {
    const [word, looked] = [aligned?.output[query], aligned?.source[key]];
    const cell = aligned && word && looked && strongestCell(aligned.tokens, word.rows, looked);
    if (!cell || !aligned) return;
    state.tapName.value = aligned.tap.name;
    state.focus.value = cell;
    state.drawer.value = "cell";
  };
  const chooseStep = (next: StepChoice) => {
    const shift = next === step.value ? 0 : next === "input" ? 1 : -1;
    state.locked.value = state.locked.value.map((row) => row + shift).filter((row) => row >= 0);
    step.value = next;
  };

  const without = off(state);
  const struck = new Set(aligned?.source.flatMap((word, index) => (positionsOf(word).some((each) => without.includes(String(each))) ? [index] : [])));
  const strikes = rewrites(state);
  const onStrike = (index: number) => {
    const word = aligned?.source[index];
    if (!aligned || !word || state.busy.value) return;
    const axis = aligned.tap.keys;
    void (struck.has(index) ? bringBack(state, namesOf(state, axis, word)) : strike(state, axis, word));
  };
  const unsure = sure.some((chance, i) => !aligned?.output[i]?.special && chance < (wrote?.unsure_below ?? 0));

  const isStruck = hover.value?.side === "key" && struck.has(hover.value.index); // nothing looks at it
  const active = hover.value && !isStruck ? [...locked, hover.value] : locked;
  const wordsKnown = knows(trace.axes[tap.queries], "word") && knows(trace.axes[tap.keys], "word");
  return (
    <section class="rg-views rg-translation" aria-label={say("translation")} aria-busy={loading}>
      {!plain && <header class="rg-row rg-views__head">
        <p class="rg-note">
          {captionWords(say, aligned?.quantity ?? "weight", aligned?.tap ?? tap, [aligned?.head ?? state.head.value])}; {say(`ribbons.${aligned?.step ?? step.value}`)}
        </p>
        {strikes && aligned && (
          <button type="button" class="rg-button" onClick={() => void play(state)}>
            {say("ribbons.play")}
          </button>
        )}
        <Choice
          name={say("step")}
          options={(["output", "input"] as const).map((each) => [each, say(`ribbons.${each}.name`), say(`ribbons.${each}`)] as const)}
          value={step.value}
          onChoose={chooseStep}
        />
        {(needs.length > 0 || way.value !== "anywhere") && (
          <Choice
            name={say("ribbons.way")}
            options={WAYS.map((each) => [each, say(`ribbons.${each}`), say("ribbons.way.title")] as const)}
            value={way.value}
            onChoose={(next) => (way.value = next)}
          />
        )}
        {wordsKnown && (
          <Choice name={say("group")} options={(["word", "token"] as const).map((each) => [each, say(`group.${each}`)] as const)} value={pieces.value} onChoose={(value) => (pieces.value = value)} />
        )}
      </header>}
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      <div class="rg-translation__frame" ref={frame}>
        {aligned && width > 0 && (
          <>
            <RibbonFigure
              aligned={aligned}
              width={width}
              active={active}
              locked={locked}
              struck={struck}
              chances={sure}
              unsureBelow={wrote?.unsure_below ?? 0}
              relied={relied}
              needs={needs}
              pulled={pulledWords(state, aligned)}
              pull={held.value}
              onStrike={strikes ? onStrike : null}
              onPull={strikes && aligned.step === "output" ? (word, key) => take(aligned, word, key) : null}
              onLetGo={(done) => void letGo(done)}
              onHover={(pointed) => (hover.value = pointed)}
              onLock={lock}
              onRelease={release}
              onAsk={ask}
            />
            <Changed state={state} trace={trace} next={held.value?.trace} always={strikes} />
            <p class="rg-note rg-views__hint" data-screen>
              {hint(say, strikes, unsure, needs.length > 0, leftOut(aligned), aligned.quantity)}
            </p>
          </>
        )}
      </div>
    </section>
  );
}

/** The strongest cell of a word's row or column; a word that is struck out has none. */
function cellOf({ output, source, values }: Aligned, { side, index }: Pointed): { query: number; key: number } | null {
  const value = (query: number, key: number) => values.values[query * values.width + key] ?? 0;
  const best = (count: number, of: (i: number) => number) =>
    Array.from({ length: count }, (_, i) => i).reduce((most, i) => (of(i) > of(most) ? i : most), 0);
  const query = side === "query" ? index : best(output.length, (i) => value(i, index));
  const key = side === "key" ? index : best(source.length, (i) => value(index, i));
  const [row, column] = [output[query]?.rows, source[key]];
  return row && column && row.end > row.first && value(query, key) > 0 ? { query: row.first, key: column.first } : null;
}

/** Legend of what can be done and what is not drawn. */
function hint(say: Say, strikes: boolean, unsure: boolean, needs: boolean, left: number, quantity: "weight" | "norm"): string {
  const verbs = strikes ? [say("ribbons.strike"), say("ribbons.pull"), say("ribbons.bar")] : [];
  const rest = left > 0.0005 ? [say("ribbons.left", { least: percent(THINNEST_SHARE), left: percent(left), quantity: say(quantity) })] : [];
  const colors = needs ? [say("ribbons.needed", { little: percent(LITTLE), much: 100 * MUCH })] : [];
  return [...colors, say("ribbons.sure"), ...(unsure ? [say("ribbons.dotted")] : []), ...verbs, ...rest].join(" · ");
}
