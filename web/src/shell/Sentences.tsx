/** The sentences themselves, always in sight: the way into the map, and where its marks come from. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { AxisInfo, TraceInfo } from "../source";
import { attempt, type State } from "../state";
import { isBytes, joinedNames } from "../weights/naming";
import { continues, labelAt, markOf } from "../weights/units";
import { focusOn } from "../map/input/commands";
import { imageOf, type Image } from "../image/grid";
import { Seen } from "../image/Picture";
import { axisWords } from "../weights/words";
import { useWords } from "../words/words";
import { strongest } from "./zoom";

const SHOWN = 80; // tokens of a line; of a longer text those around the focus

export function Sentences({ state, trace }: { state: State; trace: TraceInfo }) {
  const say = useWords();
  const tap = state.tap.value;
  const written = (name: string) => Number(trace.generation?.axis === name); // what was read comes before it
  const names = Object.keys(trace.axes)
    .filter((name) => !trace.axes[name]?.peaks)
    .sort((a, b) => written(a) - written(b));
  return (
    <section class="rg-sentences" aria-label={say("text.whole")}>
      {names.map((name) => trace.axes[name]?.image ? (
        state.view.value === "map" && <Seen key={name} state={state} trace={trace} image={imageOf(trace) as Image} />
      ) : (
        <Line key={name} state={state} name={name} axis={trace.axes[name] as AxisInfo} asQuery={tap?.queries === name} asKey={tap?.keys === name} />
      ))}
    </section>
  );
}

interface LineProps {
  state: State;
  name: string;
  axis: AxisInfo;
  asQuery: boolean;
  asKey: boolean;
}

function Line({ state, name, axis, asQuery, asKey }: LineProps) {
  const say = useWords();
  const at = state.hover.value ?? state.focus.value;
  const query = asQuery ? at?.query : undefined;
  const key = asKey ? at?.key : undefined;
  const style = useMemo(() => markOf(axis.tokens.slice(0, 1000)), [axis]);
  const anchor = (asQuery ? state.focus.value?.query : state.focus.value?.key) ?? 0;
  const from = axis.tokens.length <= SHOWN ? 0 : Math.max(0, Math.min(anchor - SHOWN / 2, axis.tokens.length - SHOWN));
  const roles = [asQuery && say("query"), asKey && say("key")].filter(Boolean).join(say("said.and"));

  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // Of the lines of a longer text, the one with the marked token is in sight.
    const marked = text.current?.querySelector<HTMLElement>(".rg-token--query, .rg-token--key");
    if (text.current && marked) text.current.scrollTop = marked.offsetTop - text.current.offsetTop;
  }, [query, key, from]);

  const choose = async (event: Event) => {
    const chosen = (event.target as Element).closest<HTMLElement>("[data-position]");
    if (!chosen || !(asQuery || asKey)) return;
    const position = Number(chosen.dataset["position"]);
    const partner = await attempt(state, () => strongest(state, asQuery ? { query: position } : { key: position }));
    if (partner !== null) focusOn(state, asQuery ? { query: position, key: partner } : { query: partner, key: position });
  };

  return (
    <div class="rg-sentences__line">
      <span class="rg-note">
        {axisWords(say, name)}
        {roles && <span class="rg-note"> {roles}</span>}
      </span>
      <p
        ref={text}
        class="rg-sentences__text"
        role="group"
        aria-label={say("text.tokens", { name: axisWords(say, name) })}
        tabIndex={0}
        onClick={(event) => void choose(event)}
      >
        {from > 0 && <span class="rg-note">{say("text.before", { count: from.toLocaleString("en") })} </span>}
        {written(axis.tokens, from, from + SHOWN, style).map(({ position, end, label }, i) => {
          const token = axis.tokens[position] as string;
          const glued = position > 0 && continues(token, style);
          const has = (at: number | undefined) => at !== undefined && at >= position && at < end;
          const marks = [has(query) && "rg-token--query", has(key) && "rg-token--key"];
          return (
            <>
              {i > 0 && !glued && " "}
              <button
                key={position}
                type="button"
                tabIndex={-1}
                class={["rg-token", ...marks].filter(Boolean).join(" ")}
                data-position={position}
                disabled={!asQuery && !asKey}
                title={`${name} ${position}: ${token}`}
              >
                {label === "␣" ? "\u00a0" : label}
              </button>
            </>
          );
        })}
        {from + SHOWN < axis.tokens.length && (
          <span class="rg-note"> {say("text.more", { count: (axis.tokens.length - from - SHOWN).toLocaleString("en") })}</span>
        )}
      </p>
    </div>
  );
}

/** Tokens as they are written: marks that belong to a letter before them, as Hindi's vowels do, stand with it. */
export function written(tokens: readonly string[], from: number, end: number, style: ReturnType<typeof markOf>) {
  const all: { position: number; end: number; labels: string[] }[] = [];
  tokens.slice(from, end).forEach((token, i) => {
    const position = from + i;
    const label = labelAt(tokens, position, style).replace(position > 0 && continues(token, style) ? /^-(?=.)/ : "", "");
    const before = all.at(-1);
    if (before && (isBytes(label) || /^\p{M}/u.test(label))) [before.labels, before.end] = [[...before.labels, label], position + 1];
    else all.push({ position, end: position + 1, labels: [label] });
  });
  return all.map(({ labels, ...place }) => ({ ...place, label: joinedNames(labels) }));
}
