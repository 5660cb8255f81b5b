/** What is looked at beside a map that was pinned, or their difference: of two heads, layers, texts or models. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { AttentionMap } from "../map/AttentionMap";
import { differenceOf } from "../map/difference";
import { nextHead } from "../shell/commands";
import type { TapInfo, TraceInfo } from "../source";
import type { Position, State } from "../state";
import { Choice } from "../weights/Choice";
import { useLoaded } from "../weights/loaded";
import { headWords, tapWords } from "../weights/words";
import { useWords } from "../words/words";
import "./compare.css";
import type { Pane } from "./panes";
import { commonEnds, differing, onOneScale, oneShape, paneOf, sameTokens, whyNoDifference } from "./panes";

export function Compare({ state }: { state: State }) {
  const say = useWords();
  const asDifference = state.difference;
  const paired = useMemo((): State => {
    const ends = () => signal<[number, number] | null>(null);
    return { ...state, ends: ends(), home: ends() };
  }, [state]);
  // A second map of another shape is drawn alike, but has a window and a focus of its own.
  const own = useMemo(
    () => ({ ...paired, viewport: state.otherViewport, trace: signal<TraceInfo | null>(null), tap: signal<TapInfo | null>(null), focus: signal<Position | null>(null), hover: signal<Position | null>(null), drawer: signal(false) }),
    [paired],
  );

  const trace = state.trace.value;
  const tap = state.tap.value;
  const first: Pane | null = trace && tap ? { trace, tap, head: state.head.value } : null;
  const second = paneOf(state.other.value);
  const pin = ({ trace, tap, head }: Pane) => (state.other.value = { trace, tap: tap.name, head });
  useEffect(() => {
    // Not what was drawn last: a link may have named the second by now.
    if (first && !paneOf(state.other.peek())) pin({ ...first, head: nextHead(first.tap, first.head, 1) });
  }, [trace?.id, tap?.name, second === null]);
  useEffect(() => {
    own.trace.value = second?.trace ?? null;
    own.tap.value = second?.tap ?? null;
    own.viewport.value = null;
    own.focus.value = null;
  }, [second?.trace.id, second?.tap.name]);

  // Two colors can be held against each other only on one scale.
  const quantity = state.quantity.value;
  const linear = onOneScale([first, second], state.scale.value);
  const names = [first, second].map((pane) => pane && [pane.trace.id, pane.tap.name, pane.head]);
  const reach = useLoaded(first && second && linear ? JSON.stringify([names, quantity]) : null, (signal) =>
    commonEnds(state.source, [first as Pane, second as Pane], quantity, signal),
  );
  useEffect(() => {
    paired.home.value = paired.ends.value = linear ? reach.value : null;
  }, [paired, linear, reach.value]);

  if (!first) return <p class="rg-note rg-note--empty">write a text and look at it; then pin it here and compare it with another</p>;
  if (!second) return <p class="rg-note rg-note--empty">choosing the next head …</p>;

  const why = whyNoDifference(first, second);
  const shared = oneShape(first, second);
  const differs = differing(first, second);
  const difference = asDifference.value && !why;
  const words = (pane: Pane) => `${tapWords(pane.tap)}, ${headWords(pane.head)}`;
  const named = (pane: Pane) => {
    const parts = [words(pane)];
    if (differs.includes("model")) parts.push(pane.trace.model);
    if (differs.includes("text")) parts.push(`“${clipped(pane.trace.text)}”`);
    return parts.join(" · ");
  };
  return (
    <section class="rg-views rg-compare" aria-label="compare">
      <header class="rg-views__head">
        <Choice
          name={say("compare.show")}
          options={[["beside", say("compare.beside")], ["difference", say("compare.difference"), why ?? "the first minus the pinned"]]}
          value={asDifference.value ? "difference" : "beside"}
          onChoose={(value) => (asDifference.value = value === "difference")}
        />
        <button type="button" class="rg-button" disabled={!differs.length} title={say("compare.pin.title")} onClick={() => pin(first)}>{say("compare.pin")}</button>
      </header>
      <p class="rg-note">
        {differs.length === 0
          ? "both are the same map; choose another head or layer, text or model, and the first is that one"
          : `the two differ in ${listed(differs)}`}
        {differs.length > 0 && shared && !sameTokens(first, second) && "; they are compared position by position, because their tokens differ"}
        {asDifference.value && why && `; ${why}`}
        {!difference && (paired.ends.value ? "; one color scale for both" : "; each with a color scale of its own")}
      </p>
      {difference ? (
        <div class="rg-compare__panes">
          <AttentionMap state={state} {...first} difference={differenceOf(state.source, first, second)} label={`${named(first)} minus ${differs.length ? named(second) : "itself"}`} />
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

function listed(names: string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

function clipped(text: string): string {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
}
