/** What a model that writes nothing answers, where a translator's page has the translation. */
import { rewrites, strike } from "../off/switch";
import type { AxisInfo, Candidate, Near, TraceInfo } from "../source";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import { units } from "../weights/units";
import { percent } from "../weights/words";
import { filled, useWords } from "../words/words";

const ASKED = 64; // words of a text, each left out once
const SHOWN = 3;

/** The labels, and how likely the first is without a word. */
export function Labels({ state, trace, labels: [first, ...others] }: { state: State; trace: TraceInfo; labels: Candidate[] }) {
  const say = useWords();
  const said = ({ token, probability }: Candidate) => `${token} ${percent(probability)}`;
  const [name, axis] = Object.entries(trace.axes)[0] as [string, AxisInfo];
  const words = axis.words ?? axis.tokens;
  const { value } = useLoaded(trace.can_ablate && words.length <= ASKED ? trace.id : null, (signal) => state.source.reliance(trace.id, "anywhere", signal));
  const label = (from: number) => units(axis, "word").find((each) => each.first === from)?.label ?? "";
  const most = [...(value ?? [])].sort((one, other) => one.change - other.change).slice(0, SHOWN);
  return (
    <p class="rg-row rg-labels" aria-label={say("labels")}>
      <strong class="rg-panel__title">{first && said(first)}</strong>
      {others.map((each) => <span key={each.token}>{said(each)}</span>)}
      {first && most.map((each, at) => (
        <span key={each.first} title={say("off.token")}>
          {at === 0 && `${first.token} `}{filled(say("labels.without"), { word: rewrites(state) ? (
            <button type="button" class="rg-link" title={say("said.strike", { word: label(each.first) })} disabled={state.busy.value} onClick={() => void strike(state, name, each)}>{label(each.first)}</button>
          ) : <b>{label(each.first)}</b> })} {percent(first.probability * Math.exp(each.change))}
        </span>
      ))}
    </p>
  );
}

/** The sentences whose vectors lie nearest to the text's. */
export function Nearest({ nearest: [first, ...others] }: { nearest: Near[] }) {
  const say = useWords();
  const said = ({ text, cosine }: Near) => <>“{text}” <span class="rg-number">{cosine.toFixed(2)}</span></>;
  return (
    <p class="rg-row rg-labels" aria-label={say("nearest.title")} title={say("nearest.cosines", { count: others.length + 1 })}>
      {say("nearest", { count: others.length + 1 })} <strong>{first && said(first)}</strong>
      {others.slice(0, SHOWN - 1).map((each) => <span key={each.text}>{said(each)}</span>)}
    </p>
  );
}
