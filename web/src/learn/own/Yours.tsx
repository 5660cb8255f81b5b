/** The reader's own sentence, translated with ribbons; words can be struck out of it. */
import { useEffect, useMemo } from "preact/hooks";
import type { TraceRequest } from "../../source";
import { ask, createState, type State } from "../../state";
import { Translation } from "../../translation/Translation";
import { translated } from "../../words/translated";
import { useWords } from "../../words/words";
import { inspectTranslation } from "../go";
import type { OwnProps } from "./OwnPicture";

export function Yours({ state, model, settings: { struck }, text, onSet }: OwnProps & { model: string }) {
  const say = useWords();
  // A state of its own: what the inspector looks at stays as it is.
  const inner = useMemo(() => own(state), [state]);
  const dark = state.dark.value;
  useEffect(() => {
    inner.theme.value = dark ? "dark" : "light";
  }, [dark]);
  const wanted = JSON.stringify([model, text, struck]);
  useEffect(() => {
    const { request } = inner;
    const here = request.value && JSON.stringify([request.value.model, request.value.text, positions(request.value)]);
    if (here !== wanted) void ask(inner, { model, text, ...(struck.length && { without: struck.map(String) }) });
  }, [wanted]);
  const { value: request } = inner.request;
  useEffect(() => {
    const now = request ? positions(request) : [];
    if (inner.trace.value && request?.text === text && String(now) !== String(struck)) onSet({ struck: now });
  }, [request]);
  const asked = inner.drawer.value;
  const open = () => void inspectTranslation(state, inner.request.value ?? { model, text }, asked ? inner.focus.value : null);
  useEffect(() => {
    if (asked) open(); // a ribbon was clicked: the equation is in the inspector
  }, [asked]);
  const error = inner.error.value;
  return (
    <div class="rg-stack rg-yours" aria-busy={inner.busy.value}>
      {error && <p class="rg-note" role="alert">{translated(say, error)}</p>}
      {!inner.trace.value && !error && <p class="rg-note" role="status">{say("model.running", { model })}</p>}
      {inner.trace.value && (
        <>
          <p class="rg-panel__title rg-yours__text" aria-live="polite">{written(inner)}</p>
          <Translation state={inner} plain />
          <div><button type="button" class="rg-button" onClick={open}>{say("inspector")}</button></div>
        </>
      )}
    </div>
  );
}

/** The words that are struck out; nothing else is switched off here. */
function positions({ without }: TraceRequest): number[] {
  return (without ?? []).map(Number);
}

function own({ source }: State): State {
  const inner = createState(source);
  inner.view.value = "sentence";
  inner.head.value = "mean";
  return inner;
}

function written(inner: State): string {
  const generation = inner.trace.value?.generation;
  return generation?.hypotheses[generation.shown]?.text ?? "";
}
