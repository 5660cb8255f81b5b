/** Generation: one timeline of prompt and steps; a chosen step shows what it looked at; beams as a tree. */
import { useEffect } from "preact/hooks";
import type { AxisInfo, TapInfo, TraceInfo } from "../source";
import type { State } from "../state";
import { force, lookAt, restored } from "../state";
import { Changed } from "../off/Changed";
import { useLoaded } from "../weights/loaded";
import { shownQuantity } from "../weights/matrix";
import { markOf, tokenLabel } from "../weights/units";
import { captionWords } from "../weights/words";
import { useWords } from "../words/words";
import { Beams } from "./Beams";
import { Candidates } from "./Candidates";
import { chooseHypothesis } from "./choose";
import "./generation.css";
import { Passage } from "./Passage";
import { fetchRow } from "./row";
import { leastCertain, rowOf, tapsOf } from "./timeline";
import { Timeline } from "./Timeline";

/** One step's row in one layer's self- or cross-attention. */
interface Look {
  tap: TapInfo;
  axis: AxisInfo;
  values: Float32Array;
}

interface Looked {
  trace: TraceInfo;
  step: number;
  row: number;
  head: number | "mean";
  quantity: "weight" | "norm";
  looks: Look[];
}

export function Generation({ state }: { state: State }) {
  const say = useWords();
  const trace = state.trace.value;
  const generation = trace?.generation ?? null;
  const axis = (trace && generation && trace.axes[generation.axis]) || null;
  const layers = layersOf(trace);
  const tap = state.tap.value;
  const layer = tap && tap.queries === generation?.axis ? tap.layer : (layers[Math.min(tap?.layer ?? 0, layers.length - 1)] ?? 0);
  const taps = trace && generation ? tapsOf(trace.taps, generation.axis, layer) : [];
  const first = taps[0];
  const head = first && state.head.value !== "mean" && state.head.value >= first.heads ? 0 : state.head.value;
  const quantity = first ? shownQuantity(state.quantity.value, first) : "weight";
  const steps = generation?.steps ?? [];
  const chosen = state.step.value;
  const step = chosen !== null && chosen < steps.length ? chosen : leastCertain(steps);
  const row = axis ? rowOf(axis.prompt, step) : null;

  // The layer and head are chosen around this view; what they say must be what is seen here.
  const elsewhere = tap && generation && tap.queries !== generation.axis;
  useEffect(() => {
    const own = taps[0];
    if (elsewhere && own) lookAt(state, own, head);
  }, [elsewhere, trace?.id]);

  const asked = trace && row !== null && taps.length && steps.length;
  const looked = useLoaded<Looked>(asked ? JSON.stringify([trace.id, step, layer, head, quantity]) : null, async (signal) => {
    const info = trace as TraceInfo;
    const looks = taps.map(async (each): Promise<Look> => ({
      tap: each,
      axis: info.axes[each.keys] as AxisInfo,
      values: await fetchRow(state.source, info.id, each, head, quantity, row as number, signal),
    }));
    return { trace: info, step, row: row as number, head, quantity, looks: await Promise.all(looks) };
  });

  if (!trace) return <p class="rg-note rg-note--empty">write a text and look at it; the steps in which the model writes appear here</p>;
  if (!generation || !axis || steps.length === 0) {
    return (
      <p class="rg-note rg-note--empty">
        nothing was generated in this trace; choose a model that generates text, such as a translator, and look at a text
        without a target
      </p>
    );
  }

  const forced = state.request.value?.forced_beginning?.length ?? 0;
  const able = !state.busy.value && restored(state) !== null && steps.slice(0, step).every((each) => each.id != null);
  const seen = looked.value;
  const about = steps[seen?.step ?? step];
  const style = markOf(axis.tokens);
  return (
    <section class="rg-views rg-generation" aria-label="generation" aria-busy={looked.loading}>
      <Timeline
        axis={axis}
        generation={generation}
        step={step}
        forced={forced}
        onChoose={(index) => (state.step.value = index)}
      />
      <Changed state={state} trace={trace} />
      <header class="rg-views__head">
        <p class="rg-note rg-generation__asked">
          <strong>
            {say("steps.looked", { step: (seen?.step ?? step) + 1, word: about ? tokenLabel(about.token, style) : "" })}
          </strong>{" "}
          {chosen === null && say("steps.least")}
        </p>
      </header>
      {looked.error && <p class="rg-note rg-note--error" role="alert">{looked.error}</p>}
      <div class="rg-generation__step">
        <div class="rg-stack">
          {row === null && (
            <p class="rg-note">{say("steps.first")}</p>
          )}
          {row !== null &&
            seen?.looks.map((look) => (
              <Passage
                key={look.tap.kind}
                caption={captionWords(seen.quantity, look.tap, [seen.head])}
                axis={look.axis}
                name={look.tap.keys}
                values={look.values}
                quantity={seen.quantity}
                row={look.tap.keys === look.tap.queries ? seen.row : null}
                writes={about?.token ?? ""}
                onAsk={(key) => {
                  state.tapName.value = look.tap.name;
                  state.step.value = seen.step;
                  state.focus.value = { query: seen.row, key };
                  state.drawer.value = true;
                }}
              />
            ))}
        </div>
        {about && (
          <Candidates
            step={about}
            number={(seen?.step ?? step) + 1}
            style={style}
            onForce={able && seen?.step === step ? (id) => void force(state, step, id) : null}
          />
        )}
      </div>
      {generation.hypotheses.length > 1 && (
        <Beams
          generation={generation}
          busy={state.busy.value}
          able={state.source.abilities.trace}
          onChoose={(index) => void chooseHypothesis(state, index)}
        />
      )}
    </section>
  );
}

/** The layers over the axis that grew, in order. */
function layersOf(trace: TraceInfo | null): number[] {
  const over = trace?.taps.filter((tap) => tap.queries === trace.generation?.axis) ?? [];
  return [...new Set(over.map((tap) => tap.layer))].sort((a, b) => a - b);
}
