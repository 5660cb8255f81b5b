/** The plain sentence above the picture, which follows the pointer. */
import { useMemo } from "preact/hooks";
import { leastCertain, rowOf } from "../generation/timeline";
import type { AxisInfo, TapInfo, TraceInfo } from "../source";
import { stepOf, type State } from "../state";
import { useLoaded } from "../weights/loaded";
import { fetchRows } from "../weights/matrix";
import { percent } from "../weights/words";
import { askedAt, said, telling, who, type Said as Sentence } from "./said";
import "./said.css";

const WHOLE = 1 << 16; // cells of a map that is held whole, so that the sentence follows at once
const WIDEST = 1 << 13; // columns of a row

export function Said({ state, trace, tap }: { state: State; trace: TraceInfo; tap: TapInfo }) {
  const head = state.head.value;
  const [queries, keys] = [trace.axes[tap.queries] as AxisInfo, trace.axes[tap.keys] as AxisInfo];
  const whole = tap.rows * tap.columns <= WHOLE;
  const writes = trace.generation?.axis === tap.queries;
  const pointed = query(state, trace, tap);
  const asked = pointed === null ? null : askedAt(queries, pointed, writes);
  const rows = whole ? { first: 0, end: tap.rows } : (asked?.rows ?? null);
  const key = rows && tap.columns <= WIDEST ? JSON.stringify([trace.id, tap.name, head, rows]) : null;
  const { value: held } = useLoaded(key, async (signal) => ({
    key,
    from: rows?.first ?? 0,
    map: await fetchRows(state.source, trace.id, tap, head, "weight", rows as NonNullable<typeof rows>, signal),
  }));
  const map = held && held.key === key ? held.map : null;
  const first = useMemo(() => (map && whole ? telling(queries, keys, map, writes) : null), [map]);
  const spoken = asked ?? (first === null ? null : askedAt(queries, first, writes));
  const sentence = map && spoken ? said(spoken, keys, map, held?.from ?? 0) : null;
  const why = state.source.abilities.why && trace.can_ablate && sentence?.asked.deed === "write";
  const step = why ? stepOf(state, tap, sentence.asked.rows.first) : null;
  const ask = () => {
    state.step.value = step;
    state.view.value = "why";
  };
  return (
    <p class="rg-said">
      {sentence && <Words sentence={sentence} by={who(head)} />}
      {step !== null && (
        <button type="button" class="rg-said__why" title="a weight says where it looked; this measures what changes without it" onClick={ask}>
          why this word?
        </button>
      )}
    </p>
  );
}

/** The row under the pointer or the focus; in the generation, the chosen step's. */
function query(state: State, trace: TraceInfo, tap: TapInfo): number | null {
  const { generation } = trace;
  if (state.view.value === "generation" && generation && tap.queries === generation.axis) {
    const step = state.step.value ?? leastCertain(generation.steps);
    return rowOf(trace.axes[generation.axis]?.prompt ?? 0, step);
  }
  return (state.about.value ?? state.hover.value ?? state.focus.value)?.query ?? null;
}

const DEEDS = { write: "To write", predict: "To predict", read: "Reading" };

function Words({ sentence, by }: { sentence: Sentence; by: string }) {
  const { asked, looks, special } = sentence;
  return (
    <>
      {DEEDS[asked.deed]} <strong>{asked.label}</strong>
      {", "}{by} looked {special ? "mostly at" : "at"}{" "}
      {looks.map(({ label, share }, i) => (
        <span key={label}>
          {i > 0 && (special ? " and, of the words, at " : " and ")}
          <strong>{label}</strong> ({percent(share)})
        </span>
      ))}
      .
    </>
  );
}
