/** Other keys of this query, and other queries of this key. */
import type { Looked } from "../../source";
import { focusOn } from "../../map/input/commands";
import type { Position } from "../../state";
import { Ranked } from "../../weights/Ranked";
import { useWords } from "../../words/words";
import type { CellProps } from "./Ablate";
import { useLabels } from "./labels";

export function Neighbors({ state, trace, tap, cell }: CellProps) {
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
        <Ranked rows={cell.row.map(row(cell.key, key, (position) => ({ query: cell.query, key: position })))} rest={cell.row_rest} />
      </section>
      <section aria-labelledby="rg-column-title">
        <h3 class="rg-section" id="rg-column-title">{say("drawer.looked", { word: key(cell.key_token) })}</h3>
        <Ranked rows={cell.column.map(row(cell.query, query, (position) => ({ query: position, key: cell.key })))} />
      </section>
    </>
  );
}
