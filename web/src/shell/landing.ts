/** What a page shows first whose address does not say: the sentence, at a telling head, or a long text's map. */
import { asks, split, telling } from "../said/said";
import type { AxisInfo, TraceInfo } from "../source";
import { firstTap, lookAt, type State } from "../state";
import type { Address } from "../url";
import { fitsWhole, WHOLE } from "../weights/matrix";

const MOST_LAYERS = 48;

/** The view for a trace: a translator's words, or those of a sound, are joined by ribbons, of the mean over heads; an image's patches have it too. */
export function landing({ task, taps }: Pick<TraceInfo, "task" | "taps">): Partial<Address> {
  if (task === "transcription" || task === "vision") return { view: "sentence", head: "mean" };
  if (!taps.every(fitsWhole)) return {};
  return { view: "sentence", ...(task === "translation" && { head: "mean" as const }) };
}

/** Turns to the head that looks farthest at one word, where there is no cross-attention to begin with. */
export async function turnToTelling(state: State): Promise<void> {
  const { value: trace } = state.trace;
  const first = trace && firstTap(trace);
  if (!trace || !first || first.kind === "cross" || trace.task === "vision" || !fitsWhole(first)) return;
  const layers = trace.taps.filter((tap) => tap.side === first.side && tap.kind === first.kind);
  if (layers.length > MOST_LAYERS) return;
  const axis = trace.axes[first.queries] as AxisInfo;
  const [words, keys] = [asks(axis, trace.generation?.axis === first.queries), split(axis)];
  const pictures = await Promise.all(layers.map((tap) => state.source.thumbnails(trace.id, tap.name, WHOLE)));
  let [best, most] = [null as (() => void) | null, 0];
  layers.forEach((tap, at) => {
    const { height, width, values } = pictures[at] as (typeof pictures)[number];
    for (let head = 0; head < tap.heads; head++) {
      const map = { height, width, values: values.subarray(head * height * width, (head + 1) * height * width) };
      const worth = telling(words, keys, map, true)?.worth ?? 0;
      if (worth > most) [best, most] = [() => lookAt(state, tap, head), worth];
    }
  });
  if (state.trace.value === trace) best?.();
}
