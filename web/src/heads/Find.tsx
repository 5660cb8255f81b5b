/** Which head looks from this word to that? Two fields; Enter goes on to the occurrence before. */
import { batch, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { closeUp } from "../map/input/commands";
import { split } from "../said/said";
import type { AxisInfo, TapInfo, TraceInfo } from "../source";
import type { Position, State } from "../state";
import { useWords } from "../words/words";
import { pairOf } from "./find";

type End = keyof Position;
const ENDS: readonly End[] = ["query", "key"];

export function Find({ state, trace, tap }: { state: State; trace: TraceInfo; tap: TapInfo }) {
  const say = useWords();
  const [queries, keys] = useMemo(() => [split(trace.axes[tap.queries] as AxisInfo), split(trace.axes[tap.keys] as AxisInfo)], [trace, tap.queries, tap.keys]);
  const typed = useSignal({ query: "", key: "" });
  const lacking = useSignal<End | null>(null);
  const said = useSignal(""); // what the pair that is shown was typed as
  const find = (end: End, field: HTMLElement) => {
    const { query, key } = typed.value;
    const focus = state.focus.value;
    const shown = focus && said.value === `${query}\n${key}`;
    const before = !shown ? {} : end === "query" ? { query: focus.query } : { query: focus.query + 1, key: focus.key };
    const pair = pairOf(queries, keys, query, key, tap.causal, before);
    lacking.value = ENDS.find((each) => typed.value[each].trim() && pair[each] === undefined) ?? null;
    if (pair.query === undefined || pair.key === undefined) return field.parentElement?.querySelector<HTMLElement>(`[name=${pair.query === undefined ? "query" : "key"}]`)?.focus();
    const at = { query: pair.query, key: pair.key };
    field.blur(); // so that keys mean what they mean elsewhere
    said.value = `${query}\n${key}`;
    batch(() => {
      state.view.value = "map";
      state.focus.value = at;
      state.toward.value = at.key;
      closeUp(state, at);
    });
  };
  return (
    <search class="rg-find">
      {ENDS.map((end) => (
        <input
          key={end}
          name={end}
          class="rg-field"
          value={typed.value[end]}
          placeholder={say(end)}
          aria-invalid={lacking.value === end ? "true" : undefined}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => (typed.value = { ...typed.value, [end]: currentTarget.value })}
          onKeyDown={(event) => event.key === "Enter" && find(end, event.currentTarget)}
        />
      ))}
      {lacking.value && <p class="rg-note rg-note--error" role="alert">{say("find.none", { word: typed.value[lacking.value] })}</p>}
    </search>
  );
}
