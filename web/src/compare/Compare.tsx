/** The map beside one that was pinned, or their difference: of two heads, layers, texts or models. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { AttentionMap } from "../map/AttentionMap";
import { commonEnds, differenceOf, differing, oneShape, onOneScale, sameTokens, whyNoDifference } from "./panes";
import type { TapInfo, TraceInfo } from "../source";
import type { Face, Pane, Position, State } from "../state";
import { Choice } from "../weights/Choice";
import { useLoaded } from "../weights/loaded";
import { headWords, tapWords } from "../weights/words";
import { useWords } from "../words/words";

export function Compare({ state, first, second }: { state: State; first: Pane; second: Pane }) {
  const say = useWords();
  const asDifference = state.difference;
  const paired = useMemo((): State => {
    const ends = () => signal<[number, number] | null>(null);
    return { ...state, ends: ends(), home: ends() };
  }, [state]);
  // A second map of another shape is drawn alike, but has a window and a focus of its own.
  const own = useMemo(
    () => ({ ...paired, viewport: state.otherViewport, trace: signal<TraceInfo | null>(null), tap: signal<TapInfo | null>(null), focus: signal<Position | null>(null), hover: signal<Position | null>(null), drawer: signal<Face>("") }),
    [paired],
  );

  useEffect(() => {
    own.trace.value = second.trace;
    own.tap.value = second.tap;
    own.viewport.value = null;
    own.focus.value = null;
  }, [second.trace.id, second.tap.name]);

  // Two colors can be held against each other only on one scale.
  const quantity = state.quantity.value;
  const linear = onOneScale([first, second], state.scale.value);
  const names = [first, second].map(({ trace, tap, head }) => [trace.id, tap.name, head]);
  const reach = useLoaded(linear ? JSON.stringify([names, quantity]) : null, (signal) => commonEnds(state.source, [first, second], quantity, signal));
  useEffect(() => {
    paired.home.value = paired.ends.value = linear ? reach.value : null;
  }, [paired, linear, reach.value]);

  const why = whyNoDifference(say, first, second);
  const shared = oneShape(first, second);
  const differs = differing(first, second);
  const difference = asDifference.value && !why;
  const words = (pane: Pane) => `${tapWords(say, pane.tap)}, ${headWords(say, pane.head)}`;
  const named = (pane: Pane) => {
    const parts = [words(pane)];
    if (differs.includes("model")) parts.push(pane.trace.model);
    if (differs.includes("text")) parts.push(`“${clipped(pane.trace.text)}”`);
    return parts.join(" · ");
  };
  const notes = [
    differs.length ? say("compare.differ", { parts: differs.map((part) => say(part)).join(say("said.and")) }) : say("compare.same"),
    ...(differs.length && shared && !sameTokens(first, second) ? [say("compare.tokens")] : []),
    ...(asDifference.value && why ? [why] : []),
    ...(difference ? [] : [say(paired.ends.value ? "compare.one" : "compare.own")]),
  ];
  return (
    <section class="rg-views rg-compare" aria-label={say("compare")}>
      <header class="rg-row rg-views__head">
        <Choice
          name={say("compare.show")}
          options={[["beside", say("compare.beside")], ["difference", say("compare.difference"), why ?? say("compare.minus")]]}
          value={asDifference.value ? "difference" : "beside"}
          onChoose={(value) => (asDifference.value = value === "difference")}
        />
        <p class="rg-note">{notes.join("; ")}</p>
      </header>
      {difference ? (
        <div class="rg-compare__panes">
          <AttentionMap state={state} {...first} difference={differenceOf(state.source, first, second)} label={`${named(first)} − ${named(second)}`} />
        </div>
      ) : (
        <div class="rg-compare__panes">
          <AttentionMap state={paired} {...first} label={named(first)} />
          <AttentionMap key={shared ? "shared" : "own"} state={shared ? paired : own} {...second} label={named(second)} />
        </div>
      )}
    </section>
  );
}

function clipped(text: string): string {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
}
