/** Other keys of this query, and other queries of this key. */
import type { Cell, Looked, TapInfo, TraceInfo } from "../../source";
import { focusOn } from "../../map/input/commands";
import type { Position, State } from "../../state";
import { Ranked } from "../../weights/Ranked";
import { percent } from "../../weights/words";
import { useWords } from "../../words/words";
import { useLabels } from "./labels";

interface NeighborsProps {
  state: State;
  trace: TraceInfo;
  tap: TapInfo;
  cell: Cell;
}

export function Neighbors({ state, trace, tap, cell }: NeighborsProps) {
  const say = useWords();
  const query = useLabels(trace.axes[tap.queries]);
  const key = useLabels(trace.axes[tap.keys]);
  const row = (current: number, label: (token: string) => string, cellOf: (position: number) => Position) => ({ position, token, weight }: Looked) => ({
    label: label(token), share: weight, aside: position, own: position === current, onChoose: () => focusOn(state, cellOf(position)),
  });
  return (
    <>
      <section aria-labelledby="rg-row-title">
        <h3 class="rg-section" id="rg-row-title">
          {say("drawer.looks", { word: query(cell.query_token) })}
          <span class="rg-note"> {say("which.entropy", { entropy: cell.row_entropy.toFixed(2) })}</span>
        </h3>
        <Ranked rows={cell.row.map(row(cell.key, key, (position) => ({ query: cell.query, key: position })))}>
          {cell.row_rest > 0 && <li class="rg-ranked__row rg-note">{say("next.rest")} <span class="rg-ranked__share rg-number">{percent(cell.row_rest)}</span></li>}
        </Ranked>
      </section>
      <section aria-labelledby="rg-column-title">
        <h3 class="rg-section" id="rg-column-title">{say("drawer.looked", { word: key(cell.key_token) })}</h3>
        <Ranked rows={cell.column.map(row(cell.query, query, (position) => ({ query: position, key: cell.key })))} />
      </section>
    </>
  );
}
