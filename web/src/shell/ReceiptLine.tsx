/** Always in sight: what the numbers are, where they are from, and how exact. */
import { short } from "../weights/numbers";
import type { TraceInfo } from "../source";
import type { State } from "../state";
import { headWords } from "../weights/words";

export function ReceiptLine({ state, trace }: { state: State; trace: TraceInfo }) {
  const tap = state.tap.value;
  const { row_sum_error, difference, rows, dtype } = trace.receipt;
  return (
    <footer class="rg-receipt">
      {tap && (
        <p class="rg-receipt__what">
          <span class="rg-number">{QUANTITY[state.quantity.value]}</span> of {tap.side} {tap.kind}-attention, layer{" "}
          {tap.layer}, {headWords(state.head.value)}
          {[...tap.notes, ...(trace.notes ?? [])].map((note) => (
            <span key={note} class="rg-receipt__note"> · {note}</span>
          ))}
        </p>
      )}
      <p
        class="rg-receipt__exact"
        title={`measured on ${rows} sampled rows, compared with the full softmax in float64`}
      >
        row sums within <span class="rg-number">{short(row_sum_error)}</span> of 1 · at most{" "}
        <span class="rg-number">{short(difference)}</span> from the full softmax · {rows} rows sampled ·{" "}
        {dtype}
      </p>
    </footer>
  );
}

export const QUANTITY = { weight: "α", norm: "‖α·f(x)‖", score: "score" } as const;
