/** What a classifier answers, where a translator's page has the translation; and how likely that is without a word. */
import type { AxisInfo, Candidate, TraceInfo } from "../source";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import { units } from "../weights/units";
import { percent } from "../weights/words";

const ASKED = 64; // words of a text, each left out once

export function Labels({ state, trace, labels: [first, ...others] }: { state: State; trace: TraceInfo; labels: Candidate[] }) {
  const said = ({ token, probability }: Candidate) => `${token} ${percent(probability)}`;
  const axis = Object.values(trace.axes)[0] as AxisInfo;
  const words = axis.words ?? [];
  const { value } = useLoaded(trace.can_ablate && words.length <= ASKED ? trace.id : null, (signal) => state.source.reliance(trace.id, signal));
  const label = (from: number) => units(axis, "word").find((each) => each.first === from)?.label ?? "";
  const most = [...(value ?? [])].sort((one, other) => one.change - other.change).slice(0, 3);
  return (
    <p class="rg-labels" aria-label="labels">
      <strong>{first && said(first)}</strong>
      {others.map((each) => <span key={each.token}>{said(each)}</span>)}
      {first && most.map((each, at) => (
        <span key={each.first} title={`${first.token}, if no other position saw “${label(each.first)}”`}>
          {at === 0 && `${first.token} `}without <b>{label(each.first)}</b> {percent(first.probability * Math.exp(each.change))}
        </span>
      ))}
    </p>
  );
}
