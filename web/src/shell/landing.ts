/** First view of a page whose address chooses none: ribbons, or the lines of a telling head. */
import type { HeadInfo, Summary, TapInfo, TraceInfo } from "../source";
import { firstTap, lookAt, type State } from "../state";
import type { Address } from "../url";

const LONGEST = 2048; // rows; of a longer text every layer would be summed up first
const MOST_LAYERS = 48;
const TRIVIAL: readonly unknown[] = ["previous", "next", "same", "first", "separator", "punctuation"];
const LITTLE = 0.1; // what such a head counts
const FAR = 0.15; // of the text: a mean distance that counts in full

/** The view for a task: a translator's words are joined by ribbons, of the mean over heads. */
export function landing(task: TraceInfo["task"]): Partial<Address> {
  if (task === "translation") return { view: "translation", head: "mean" };
  return task === "vision" ? {} : { view: "flow" };
}

/** Turns to the head that says most, where there is no cross-attention to begin with. */
export async function turnToTelling(state: State): Promise<void> {
  const { value: trace } = state.trace;
  const first = trace && firstTap(trace);
  if (!trace || !first || first.kind === "cross" || first.rows > LONGEST) return;
  const layers = trace.taps.filter((tap) => tap.side === first.side && tap.kind === first.kind);
  if (layers.length > MOST_LAYERS) return;
  const seen = await Promise.all(
    layers.map(async (tap) => ({ tap, summary: await state.source.summary(trace.id, tap.name) })),
  );
  const found = tellingHead(seen);
  if (found && state.trace.value === trace) lookAt(state, found.tap, found.head);
}

/** The head that is the most decided about words far from its own: little goes to a sink, and it is not
 * simply the same token or the one beside it. */
export function tellingHead(layers: readonly { tap: TapInfo; summary: Summary }[]): { tap: TapInfo; head: number } | null {
  let [best, most] = [null as { tap: TapInfo; head: number } | null, 0];
  for (const { tap, summary } of layers)
    for (const each of summary.heads) {
      const worth = telling(each, tap.columns);
      if (worth > most) [best, most] = [{ tap, head: each.head }, worth];
    }
  return best;
}

function telling({ entropy, distance, sink, pattern }: HeadInfo, columns: number): number {
  const decided = 1 - Math.min(1, entropy / Math.log2(Math.max(2, columns)));
  const far = distance === null ? 1 : Math.min(1, distance / (FAR * columns)); // a few far looks move the mean
  return decided * (1 - sink) ** 2 * far * (TRIVIAL.includes(pattern) ? LITTLE : 1);
}
