/** The drawer of a word that was written: what else it might have been and what its step looked at, or why it was. */
import { batch } from "@preact/signals";
import type { GenerationInfo, TapInfo, TraceInfo } from "../source";
import { ask, force, restored, type State } from "../state";
import { useLoaded } from "../weights/loaded";
import { Ranked } from "../weights/Ranked";
import { markOf, tokenLabel, type Style } from "../weights/units";
import { WordRow } from "../weights/WordRow";
import { axisWords, captionWords, percent } from "../weights/words";
import { Why } from "../why/Why";
import { useWords } from "../words/words";
import { Beams } from "./Beams";
import { rowOf, stepShown, tapsOf } from "./timeline";

const AROUND = 120; // steps on either side of the chosen one

interface WordProps {
  state: State;
  trace: TraceInfo;
  generation: GenerationInfo;
  why: boolean;
}

export function Word({ state, trace, generation, why }: WordProps) {
  const say = useWords();
  const { steps, axis } = generation;
  const { prompt = 0, tokens = [] } = trace.axes[axis] ?? {};
  const style = markOf(tokens);
  const step = stepShown(state, generation);
  const about = steps[step] as GenerationInfo["steps"][number];
  const row = rowOf(prompt, step);
  const first = Math.max(0, step - AROUND);
  const near = steps.slice(first, step + AROUND);
  const forced = (state.request.value?.forced_beginning?.length ?? 0) - 1;
  const able = !state.busy.value && restored(state) !== null && steps.slice(0, step).every((each) => each.id != null);
  const choose = (next: number) =>
    batch(() => {
      state.step.value = next;
      const row = rowOf(prompt, next);
      if (row !== null && state.tap.value?.queries === axis) state.locked.value = [row];
    });
  return (
    <div class="rg-stack">
      <div>
        <WordRow
          name={say("steps")}
          words={near.map(({ token }) => tokenLabel(token, style))}
          chosen={step - first}
          part={(i) => near[i]?.probability ?? 0}
          titles={(i) => `${say("step.n", { step: first + i + 1 })}: ${tokenLabel(near[i]?.token ?? "", style)}, ${percent(near[i]?.probability ?? 0)}${first + i === forced ? `, ${say("steps.forced")}` : ""}`}
          onChoose={(i) => choose(first + i)}
        />
        {near.length < steps.length && <p class="rg-note">{say("steps.of", { first: first + 1, last: first + near.length, count: steps.length })}</p>}
      </div>
      {why ? (
        <Why state={state} trace={trace} step={step} style={style} />
      ) : (
        <>
          <Candidates step={about} number={step + 1} style={style} onForce={able ? (id) => void force(state, step, id) : null} />
          {row === null ? <p class="rg-note">{say("steps.first")}</p> : tapsNear(state, trace, axis).map((tap) => <Looks key={tap.kind} state={state} trace={trace} tap={tap} row={row} />)}
          {generation.hypotheses.length > 1 && <Beams generation={generation} busy={state.busy.value} able={state.source.abilities.trace} onChoose={(index) => void chooseHypothesis(state, index)} />}
        </>
      )}
    </div>
  );
}

/** The self- and cross-attention over the output in the layer that is shown, else in the nearest that there is. */
function tapsNear(state: State, { taps }: TraceInfo, axis: string): TapInfo[] {
  const layers = taps.filter((tap) => tap.queries === axis).map((tap) => tap.layer);
  return tapsOf(taps, axis, Math.min(state.tap.value?.layer ?? 0, Math.max(...layers)));
}

const SHOWN = 8; // tokens

/** What a step looked at in a layer, most first. */
function Looks({ state, trace, tap, row }: { state: State; trace: TraceInfo; tap: TapInfo; row: number }) {
  const say = useWords();
  const { value: wanted } = state.head;
  const head = wanted !== "mean" && wanted >= tap.heads ? 0 : wanted;
  const { value, error } = useLoaded(JSON.stringify([trace.id, tap.name, head, row]), (signal) =>
    state.source.looks(trace.id, { tap: tap.name, head, query: row, k: SHOWN, quantity: "weight" }, signal),
  );
  const style = markOf(trace.axes[tap.keys]?.tokens.slice(0, 1000) ?? []);
  const open = (key: number) =>
    batch(() => {
      state.tapName.value = tap.name;
      state.focus.value = { query: row, key };
      state.drawer.value = "cell";
    });
  return (
    <section aria-busy={!value && !error}>
      <h3 class="rg-section">{say("steps.looked", { where: axisWords(say, tap.keys) })}</h3>
      <p class="rg-note">{captionWords(say, "weight", tap, [head])}</p>
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      {value && (
        <Ranked rest={value.rest} rows={value.looks.filter(({ weight }) => weight > 0).map(({ position, token, weight }) => ({ label: tokenLabel(token, style), share: weight, aside: position, onChoose: () => open(position) }))} />
      )}
    </section>
  );
}

export async function chooseHypothesis(state: State, hypothesis: number): Promise<void> {
  const trace = state.trace.value;
  if (!trace?.generation || trace.generation.shown === hypothesis || state.busy.value) return;
  const { model, text, generation } = trace;
  const before = state.request.value ?? { model, text, num_beams: generation.hypotheses.length };
  await ask(state, { ...before, hypothesis });
  if (state.trace.value === trace) return; // it went wrong, and the page says so
  batch(() => {
    state.step.value = null; // its steps are others
    state.locked.value = [];
    state.focus.value = null;
  });
}

interface CandidatesProps {
  step: GenerationInfo["steps"][number];
  number: number; // of the step, from 1
  style: Style;
  onForce: ((id: number) => void) | null; // null: nothing can be written here
}

function Candidates({ step, number, style, onForce }: CandidatesProps) {
  const say = useWords();
  return (
    <div>
      <h3 class="rg-section">
        {say("steps.candidates", { step: number })} {onForce && <span class="rg-note" data-screen>{say("steps.choose")}</span>}
      </h3>
      <Ranked
        rows={step.candidates.map(({ token, probability, id }) => {
          const own = id == null ? token === step.token : id === step.id;
          const able = onForce && !own && id != null;
          return { label: tokenLabel(token, style), share: probability, own, ...(able && { title: say("steps.force"), onChoose: () => onForce(id) }) };
        })}
      />
      {!step.candidates.some((each) => each.token === step.token) && (
        <p class="rg-note">
          {say("steps.chosen")}: {tokenLabel(step.token, style)} <span class="rg-number">{percent(step.probability)}</span>
        </p>
      )}
    </div>
  );
}
