/** Layers × heads: a small picture of every map, with what the head is like under it. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { HeadInfo, TapInfo, TraceInfo } from "../../source";
import { lookAt, type State } from "../../state";
import { overviewOf, sorted, type Layer, type Order, type Overview } from "./overview";
import { stopOf, useStop, walk } from "../../heads/walk";
import { Thumbnail } from "../../map/Thumbnail";

const GROUPS = [
  ["encoder", "self"],
  ["decoder", "self"],
  ["decoder", "cross"],
] as const;

const UNDER: Record<Order, string> = {
  layer: "entropy in bits",
  entropy: "layer·head and entropy in bits",
  distance: "layer·head and mean distance in tokens",
};

export function Heads({ state, trace }: { state: State; trace: TraceInfo }) {
  const answers = overviewOf(state, trace.id);
  const order = useSignal<Order>("layer");
  const tap = state.tap.value;
  const beside = trace.taps.filter((each) => each.side === tap?.side && each.kind === tap.kind);
  const keys = beside.flatMap(({ name, heads }) => Array.from({ length: heads }, (_, head) => keyOf(name, head)));
  const { stop, onFocusIn } = useStop(keys, keyOf(state.tapName.value, state.head.value === "mean" ? 0 : state.head.value));
  if (!tap) return <p class="rg-heads__none">This trace has no attention layers.</p>;
  const layers = (side: string, kind: string) =>
    trace.taps.filter((each) => each.side === side && each.kind === kind).sort((a, b) => a.layer - b.layer);
  const groups = GROUPS.filter(([side, kind]) => layers(side, kind).length);
  const shown = layers(tap.side, tap.kind);
  const named = order.value === "distance" && tap.kind === "cross" ? "layer" : order.value;

  return (
    <nav class="rg-heads" aria-label="attention to show" onKeyDown={(event) => walk(event, ".rg-thumb")} onFocusIn={onFocusIn}>
      <div class="rg-segments rg-heads__groups" role="group" aria-label="attention">
        {groups.map(([side, kind]) => {
          const current = side === tap.side && kind === tap.kind;
          const there = layers(side, kind);
          return (
            <button
              key={side + kind}
              type="button"
              class="rg-segments__part"
              aria-pressed={current}
              onClick={() => {
                if (!current) lookAt(state, there[Math.min(tap.layer, there.length - 1)] as TapInfo, state.head.value);
              }}
            >
              {kind === "cross" ? "cross" : `${side} self`}
            </button>
          );
        })}
      </div>
      <label class="rg-choose rg-heads__order">
        <span class="rg-choose__name">heads by</span>
        <select class="rg-select" aria-label="heads by" value={named} onChange={(event) => (order.value = event.currentTarget.value as Order)}>
          <option value="layer" selected={named === "layer"}>layer</option>
          <option value="entropy" selected={named === "entropy"}>entropy</option>
          {tap.kind === "self" && <option value="distance" selected={named === "distance"}>mean distance</option>}
        </select>
      </label>
      {named === "layer" ? (
        shown.map((each) => <LayerRow key={each.name} state={state} tap={each} answers={answers} stop={stop} />)
      ) : (
        <Sorted state={state} taps={shown} answers={answers} stop={stop} order={named} />
      )}
      <p class="rg-heads__legend">
        under each: {UNDER[named]}{named === "layer" && tap.kind === "self" ? ", mean distance in tokens" : ""} · shade: each by its own automatic scale ·{" "}
        <span class="rg-dot" aria-hidden="true" /> mostly looks at a sink
      </p>
    </nav>
  );
}

interface LayerProps {
  state: State;
  tap: TapInfo;
  answers: Overview;
  stop: string; // of the tab key: a head's key
}

function LayerRow({ state, tap, answers, stop }: LayerProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) answers.want(tap.name);
      },
      { rootMargin: "120px" },
    );
    seen.observe(row.current as Element);
    return () => seen.disconnect();
  }, [answers, tap.name]);
  const answer = answers.of(tap.name).value;
  const current = state.tapName.value === tap.name;
  return (
    <section ref={row} class={`rg-layer${current ? " rg-layer--current" : ""}`} aria-label={`layer ${tap.layer}`}>
      <h2 class="rg-layer__name">layer {tap.layer}</h2>
      {answer && "error" in answer && <p class="rg-layer__error">{answer.error}</p>}
      <ul class="rg-layer__heads">
        {Array.from({ length: tap.heads }, (_, head) => (
          <HeadButton key={head} state={state} tap={tap} head={head} layer={answer && "layer" in answer ? answer.layer : null} stop={keyOf(tap.name, head) === stop} />
        ))}
      </ul>
    </section>
  );
}

interface SortedProps {
  state: State;
  taps: TapInfo[];
  answers: Overview;
  stop: string;
  order: Order;
}

function Sorted({ state, taps, answers, stop, order }: SortedProps) {
  useEffect(() => {
    for (const tap of taps) answers.want(tap.name);
  }, [answers, taps.map((tap) => tap.name).join()]);
  const here = taps.flatMap((tap) => {
    const answer = answers.of(tap.name).value;
    return answer && "layer" in answer ? [{ tap: tap.name, layer: tap.layer, summary: answer.layer.summary, found: answer.layer }] : [];
  });
  const placed = sorted(here, order);
  const keys = placed.map((each) => keyOf(each.tap, each.head));
  const there = stopOf(keys, stop, ""); // of those that are here by now
  return (
    <section class="rg-layer rg-layer--sorted" aria-label={`heads by ${order}`}>
      {here.length < taps.length && <p class="rg-layer__name">{taps.length - here.length} layers to come</p>}
      <ul class="rg-layer__heads">
        {placed.map((each, at) => (
          <HeadButton
            key={keys[at]}
            state={state}
            tap={taps.find((tap) => tap.name === each.tap) as TapInfo}
            head={each.head}
            layer={here.find(({ tap }) => tap === each.tap)?.found ?? null}
            stop={keys[at] === there}
            by={order}
          />
        ))}
      </ul>
    </section>
  );
}

function keyOf(tap: string, head: number): string {
  return `${tap} ${head}`;
}

interface HeadProps {
  state: State;
  tap: TapInfo;
  head: number;
  layer: Layer | null;
  stop: boolean; // of the tab key
  by?: Order; // what the heads are sorted by; then each says which layer it is of
}

function HeadButton({ state, tap, head, layer, stop, by = "layer" }: HeadProps) {
  const current = useComputed(() => state.tapName.value === tap.name && state.head.value === head);
  const info = layer?.summary.heads.find((each) => each.head === head);
  return (
    <li class="rg-layer__item">
      <button
        type="button"
        class="rg-thumb"
        data-key={keyOf(tap.name, head)}
        tabIndex={stop ? 0 : -1}
        aria-current={current.value ? "true" : undefined}
        aria-label={`layer ${tap.layer}, head ${head}${info ? `: ${summary(info)}` : ""}`}
        title={`layer ${tap.layer}, head ${head}${info ? `\n${summary(info)}` : ""}`}
        onClick={() => lookAt(state, tap, head)}
      >
        <Thumbnail state={state} thumbnails={layer?.thumbnails ?? null} head={head} rows={tap.rows} columns={tap.columns} causal={tap.causal} />
        <span class="rg-thumb__numbers rg-number" aria-hidden="true">
          {by !== "layer" && <span class="rg-thumb__name">{tap.layer}·{head}</span>}
          {by !== "distance" && <span>{info ? brief(info.entropy) : "\u00a0"}</span>}
          {by !== "entropy" && info && info.distance !== null && (
            <span class={by === "layer" ? "rg-thumb__distance" : undefined}>{brief(info.distance)}</span>
          )}
          {info?.mostly_sink && <span class="rg-dot" />}
        </span>
      </button>
    </li>
  );
}

function summary(info: HeadInfo): string {
  const parts = [`entropy ${info.entropy.toFixed(2)} bits`];
  if (info.distance !== null) parts.push(`mean distance ${info.distance.toFixed(1)} tokens`);
  parts.push(`${Math.round(100 * info.sink)} % to the sink${info.mostly_sink ? ", mostly a sink" : ""}`);
  return parts.join(", ");
}

/** At most three characters: "0.4", "12", "1k". */
export function brief(value: number): string {
  if (value < 9.95) return value.toFixed(1);
  return value < 999.5 ? value.toFixed(0) : `${Math.round(value / 1000)}k`;
}
