/** Other keys of this query, and other queries of this key. */
import type { Cell, TapInfo, TraceInfo } from "../../source";
import { focusOn } from "../../map/input/commands";
import type { Position, State } from "../../state";
import { percent } from "../../weights/words";
import { useLabels } from "./labels";

interface NeighborsProps {
  state: State;
  trace: TraceInfo;
  tap: TapInfo;
  cell: Cell;
}

export function Neighbors({ state, trace, tap, cell }: NeighborsProps) {
  const query = useLabels(trace.axes[tap.queries]);
  const key = useLabels(trace.axes[tap.keys]);
  const go = (focus: Position) => focusOn(state, focus);
  return (
    <>
      <section aria-labelledby="rg-row-title">
        <h3 class="rg-section" id="rg-row-title">
          “{query(cell.query_token)}” looks at
          <span class="rg-section__aside"> entropy <span class="rg-number">{cell.row_entropy.toFixed(2)}</span> bits</span>
        </h3>
        <List
          looks={cell.row}
          current={cell.key}
          label={key}
          rest={cell.row_rest}
          onChoose={(position) => go({ query: cell.query, key: position })}
        />
      </section>
      <section aria-labelledby="rg-column-title">
        <h3 class="rg-section" id="rg-column-title">“{key(cell.key_token)}” is looked at by</h3>
        <List
          looks={cell.column}
          current={cell.query}
          label={query}
          rest={null}
          onChoose={(position) => go({ query: position, key: cell.key })}
        />
      </section>
    </>
  );
}

interface ListProps {
  looks: Cell["row"];
  current: number;
  label: (token: string) => string;
  rest: number | null;
  onChoose: (position: number) => void;
}

function List({ looks, current, label, rest, onChoose }: ListProps) {
  return (
    <ol class="rg-looks">
      {looks.map(({ position, token, weight }) => (
        <li key={position}>
          <button
            type="button"
            class="rg-looks__row"
            aria-current={position === current ? "true" : undefined}
            onClick={() => onChoose(position)}
          >
            <span class="rg-looks__bar" style={{ width: `${Math.min(100, 100 * weight)}%` }} aria-hidden="true" />
            <span class="rg-looks__token">{label(token)}</span>
            <span class="rg-looks__position rg-number">{position}</span>
            <span class="rg-looks__weight rg-number">{percent(weight)}</span>
          </button>
        </li>
      ))}
      {rest !== null && rest > 0 && (
        <li class="rg-looks__rest">
          all others <span class="rg-number">{percent(rest)}</span>
        </li>
      )}
    </ol>
  );
}
