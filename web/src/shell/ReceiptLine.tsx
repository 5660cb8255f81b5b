/** Always in sight: what the numbers are, where they are from, and how exact. */
import { short } from "../weights/numbers";
import type { TraceInfo } from "../source";
import type { State } from "../state";
import { captionWords } from "../weights/words";

export function ReceiptLine({ state, trace }: { state: State; trace: TraceInfo }) {
  const tap = state.tap.value;
  const { row_sum_error, difference, rows, dtype } = trace.receipt;
  return (
    <footer class="rg-receipt">
      {tap && (
        <p class="rg-receipt__what">
          {captionWords(state.quantity.value, tap, [state.head.value])}
          {[...tap.notes, ...(trace.notes ?? [])].map((note) => (
            <span key={note} class="rg-note"> · {note}</span>
          ))}
        </p>
      )}
      <p
        class="rg-note"
        title={`measured on ${rows} sampled rows, compared with the full softmax in float64`}
      >
        row sums within <span class="rg-number">{short(row_sum_error)}</span> of 1 · at most{" "}
        <span class="rg-number">{short(difference)}</span> from the full softmax · {rows} rows sampled ·{" "}
        {dtype}
      </p>
    </footer>
  );
}
