/** Always in sight: what the numbers are, where they are from, and how exact. */
import { short } from "../weights/numbers";
import type { TraceInfo } from "../source";
import type { State } from "../state";
import { captionWords } from "../weights/words";
import { translated } from "../words/translated";
import { filled, useWords } from "../words/words";

export function ReceiptLine({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const tap = state.tap.value;
  const { row_sum_error, difference, rows, dtype } = trace.receipt;
  return (
    <footer class="rg-row rg-receipt">
      {tap && (
        <p class="rg-receipt__what">
          {captionWords(say, state.quantity.value, tap, [state.head.value])}
          {[...tap.notes, ...(trace.notes ?? [])].map((note) => (
            <span key={note} class="rg-note"> · {translated(say, note)}</span>
          ))}
        </p>
      )}
      <p class="rg-note" title={say("receipt.title", { rows })}>
        {filled(say("receipt", { rows, dtype }), { sums: <span class="rg-number">{short(row_sum_error)}</span>, most: <span class="rg-number">{short(difference)}</span> })}
      </p>
    </footer>
  );
}
