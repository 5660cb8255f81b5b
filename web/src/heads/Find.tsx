/** Which head looks from this word to that? Two fields; Enter goes on to the occurrence before. */
import { batch, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { closeUp } from "../map/input/commands";
import { split } from "../said/said";
import type { AxisInfo, TapInfo, TraceInfo } from "../source";
import type { State } from "../state";
import { useWords } from "../words/words";
import { pairOf } from "./find";

export function Find({ state, trace, tap }: { state: State; trace: TraceInfo; tap: TapInfo }) {
  const say = useWords();
  const [queries, keys] = useMemo(() => [split(trace.axes[tap.queries] as AxisInfo), split(trace.axes[tap.keys] as AxisInfo)], [trace, tap.queries, tap.keys]);
  const lacking = useSignal("");
  const last = useRef(""); // what the pair that is shown was typed as
  const find = (field: HTMLElement) => {
    const [from, to] = field.parentElement?.children as unknown as [HTMLInputElement, HTMLInputElement];
    const typed = `${from.value}\n${to.value}`;
    const focus = typed === last.current ? state.focus.value : null;
    const before = focus && field === to ? { query: focus.query + 1, key: focus.key } : { query: focus?.query };
    const { query, key } = pairOf(queries, keys, from.value, to.value, tap.causal, before);
    const lack = query === undefined ? from : to;
    lacking.value = key === undefined ? lack.value : "";
    if (query === undefined || key === undefined) return lack.focus();
    last.current = typed;
    field.blur(); // so that keys mean what they mean elsewhere
    batch(() => {
      state.view.value = "map";
      state.focus.value = { query, key };
      state.toward.value = key;
      closeUp(state, { query, key });
    });
  };
  return (
    <search class="rg-find">
      {(["query", "key"] as const).map((end) => (
        <input key={end} class="rg-field" placeholder={say(end)} onKeyDown={({ key, currentTarget }) => key === "Enter" && find(currentTarget)} />
      ))}
      {lacking.value && <p class="rg-note rg-note--error" role="alert">{say("find.none", { word: lacking.value })}</p>}
    </search>
  );
}
