/** The trained heads of the inspector's model on the same sentence: each opens there. */
import { HeadMaps } from "./pictures/HeadMaps";
import type { Thumbnails, TraceInfo } from "../source";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import { inspectAt } from "./go";

interface TrainedProps {
  state: State;
  text: string;
  onSay(said: string | null): void;
}

const SIZE = 64; // cells of a head's map, from which on they are blocks

export function Trained({ state, text, onSay }: TrainedProps) {
  const model = state.models.value.find(({ task }) => task === "translation")?.name;
  const { value, loading, error } = useLoaded<{ trace: TraceInfo; maps: Thumbnails }>(
    model && text.trim() ? `${model} ${text}` : null,
    async (signal) => {
      const trace = await state.source.trace({ model: model as string, text }, signal);
      const tap = trace.taps.find(({ side, kind }) => side === "encoder" && kind === "self");
      if (!tap) throw new Error(`${model} has no self-attention in an encoder; choose another lesson.`);
      return { trace, maps: await state.source.thumbnails(trace.id, tap.name, SIZE, signal) };
    },
  );
  if (!model) return <p class="rg-learn__empty">There is no trained translator here; start the page with `regard studio`.</p>;
  if (!text.trim()) return <p class="rg-learn__empty">Write a sentence, and the model runs on it.</p>;
  if (error) return <p class="rg-learn__empty" role="alert">{error}</p>;
  if (!value) return <p class="rg-learn__empty" role="status">running {model}</p>;
  const { trace, maps } = value;
  const tap = trace.taps.find(({ side, kind }) => side === "encoder" && kind === "self")!;
  const tokens = trace.axes[tap.queries]?.tokens ?? [];
  const open = (head: number) => void inspectAt(state, trace.model, trace.text, tap.name, head);
  return (
    <div class="rg-stack" aria-busy={loading}>
      <HeadMaps
        state={state}
        maps={maps}
        rows={tokens}
        columns={tokens}
        onChoose={open}
        onSay={onSay}
      />
      <button type="button" class="rg-button rg-learn__open" onClick={() => open(0)}>open in the inspector</button>
      <p class="rg-learn__note">
        {tap.heads} heads of {tap.name} in {trace.model}, rows look at columns; its tokens: {tokens.map((token) => token.replaceAll("▁", " ").trim() || "␣").join(" · ")}
      </p>
    </div>
  );
}
