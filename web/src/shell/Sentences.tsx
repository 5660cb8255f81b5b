/** The sentences themselves, always in sight: the way into the map, and where its marks come from. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { AxisInfo, TraceInfo } from "../source";
import { sentence, type State } from "../state";
import { continues, labelAt, markOf } from "../weights/units";
import { focusOn } from "../map/input/commands";

const SHOWN = 80; // tokens of a line; of a longer text those around the focus

export function Sentences({ state, trace }: { state: State; trace: TraceInfo }) {
  const tap = state.tap.value;
  const names = Object.keys(trace.axes).sort((a, b) => order(trace, a) - order(trace, b));
  return (
    <section class="rg-sentences" aria-label="the text">
      {names.map((name) => (
        <Line
          key={name}
          state={state}
          name={name}
          axis={trace.axes[name] as AxisInfo}
          asQuery={tap?.queries === name}
          asKey={tap?.keys === name}
        />
      ))}
    </section>
  );
}

/** Axes in order: those that were read before those that were written. */
function order(trace: TraceInfo, name: string): number {
  return trace.generation?.axis === name ? 1 : 0;
}

interface LineProps {
  state: State;
  name: string;
  axis: AxisInfo;
  asQuery: boolean;
  asKey: boolean;
}

function Line({ state, name, axis, asQuery, asKey }: LineProps) {
  const at = state.hover.value ?? state.focus.value;
  const query = asQuery ? at?.query : undefined;
  const key = asKey ? at?.key : undefined;
  const style = useMemo(() => markOf(axis.tokens.slice(0, 1000)), [axis]);
  const anchor = (asQuery ? state.focus.value?.query : state.focus.value?.key) ?? 0;
  const from = axis.tokens.length <= SHOWN ? 0 : Math.max(0, Math.min(anchor - SHOWN / 2, axis.tokens.length - SHOWN));
  const roles = [asQuery && "query", asKey && "key"].filter(Boolean).join(" and ");

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
    try {
      const partner = await strongest(state, position, asQuery);
      focusOn(state, asQuery ? { query: position, key: partner } : { query: partner, key: position });
    } catch (error) {
      state.error.value = sentence(error);
    }
  };

  return (
    <div class="rg-sentences__line">
      <span class="rg-sentences__name">
        {name}
        {roles && <span class="rg-note"> {roles}</span>}
      </span>
      <p
        ref={text}
        class="rg-sentences__text"
        role="group"
        aria-label={`tokens of ${name}`}
        tabIndex={0}
        onClick={(event) => void choose(event)}
      >
        {from > 0 && <span class="rg-note">{from.toLocaleString("en")} before … </span>}
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
                {label}
              </button>
            </>
          );
        })}
        {from + SHOWN < axis.tokens.length && (
          <span class="rg-note"> … {(axis.tokens.length - from - SHOWN).toLocaleString("en")} more</span>
        )}
      </p>
    </div>
  );
}

/** Tokens as they are written: marks that belong to a letter before them, as Hindi's vowels do, stand with it. */
export function written(tokens: readonly string[], from: number, end: number, style: ReturnType<typeof markOf>) {
  const all: { position: number; end: number; label: string }[] = [];
  tokens.slice(from, end).forEach((token, i) => {
    const position = from + i;
    const label = labelAt(tokens, position, style).replace(position > 0 && continues(token, style) ? /^-(?=.)/ : "", "");
    const before = all.at(-1);
    if (before && /^\p{M}/u.test(label)) [before.label, before.end] = [before.label + label, position + 1];
    else all.push({ position, end: position + 1, label });
  });
  return all;
}

/** The position that a token's row, or column, has most weight at. */
async function strongest(state: State, position: number, asQuery: boolean): Promise<number> {
  const { value: trace } = state.trace;
  const { value: tap } = state.tap;
  if (!trace || !tap) return 0;
  const where = asQuery ? { query: position } : { key: position };
  const answer = await state.source.looks(trace.id, {
    tap: tap.name,
    head: state.head.value,
    ...where,
    k: 1,
    quantity: "weight",
  });
  return answer.looks[0]?.position ?? 0;
}
