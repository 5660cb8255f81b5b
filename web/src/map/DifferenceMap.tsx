/** Two maps of one shape as one: where the first looks more, and where the second does. */
import { useMemo } from "preact/hooks";
import type { State } from "../state";
import { AttentionMap } from "./AttentionMap";
import { differenceOf } from "./difference";
import type { Side } from "./difference";
import { axesOf } from "./geometry/positions";

interface Props {
  state: State;
  first: Side;
  second: Side;
  label?: string;
}

export function DifferenceMap({ state, first, second, label }: Props) {
  const sides = [first.trace.id, first.tap.name, first.head, second.trace.id, second.tap.name, second.head];
  const supply = useMemo(() => differenceOf(state.source, first, second), [state, ...sides]);
  const group = state.group.value;
  const [one, other] = [first, second].map(({ trace, tap }) => axesOf(trace, tap, group).shape) as [Shape, Shape];
  if (one.rows !== other.rows || one.columns !== other.columns) {
    return (
      <p class="rg-note rg-note--empty">
        These maps have {one.rows} × {one.columns} and {other.rows} × {other.columns} cells; choose two of the same shape
        to see their difference.
      </p>
    );
  }
  return (
    <AttentionMap state={state} trace={first.trace} tap={first.tap} head={first.head} difference={supply} label={label ?? "first minus second"} />
  );
}

type Shape = ReturnType<typeof axesOf>["shape"];
