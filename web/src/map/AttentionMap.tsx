/** The attention map: a street map of one head's weights, queries down and keys across. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Pane, State } from "../state";
import { Legend } from "./legend";
import "./map.css";
import { count } from "../weights/numbers";
import { axisWords, headWords } from "../weights/words";
import { useWords } from "../words/words";
import { axesOf } from "./geometry/positions";
import { quantityName } from "./readout";
import { Screen, type Supply } from "./screen";

interface Props extends Pane {
  state: State;
  label?: string;
  difference?: Supply | null; // tiles of the difference from another map
}

/** Shows a head's map, in the state's window and colors. */
export function AttentionMap(props: Props) {
  const say = useWords();
  const { tap } = props;
  if (!tap.rows || !tap.columns) return <p class="rg-notice--empty">{say("map.empty")}</p>;
  return <Figure {...props} />;
}

function Figure({ state, trace, tap, head, label, difference = null }: Props) {
  const say = useWords();
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLDivElement>(null);
  const live = useRef<HTMLDivElement>(null);
  const [screen, setScreen] = useState<Screen | null>(null);
  const group = state.group.value;
  const { queries, keys } = useMemo(() => axesOf(trace, tap, group), [trace, tap, group]);

  useEffect(() => {
    const parts = { host: host.current!, canvas: canvas.current!, overlay: overlay.current!, live: live.current! };
    const made = new Screen(parts, state, { trace, tap, head, difference });
    setScreen(made);
    return () => made.close();
  }, [state]);
  useEffect(() => screen?.show({ trace, tap, head, difference }), [screen, trace, tap, head, difference?.key]);

  const says = say("map.says", {
    quantity: quantityName({ say, quantity: state.quantity.value, difference: difference !== null }),
    title: label ?? `${tap.name}, ${headWords(say, head)}`,
    rows: `${count(queries.length)} (${axisWords(say, tap.queries)})`,
    columns: `${count(keys.length)} (${axisWords(say, tap.keys)})`,
    units: say(`group.${queries.grouped || keys.grouped ? group : "token"}`),
  });
  return (
    <figure class="rg-map">
      {label && <figcaption class="rg-map__label">{label}</figcaption>}
      <div class="rg-map__host" ref={host}>
        <canvas
          class="rg-map__canvas"
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-roledescription={say("map.role")}
          aria-label={says}
          data-ready="false"
        />
        <span class="rg-map__axis rg-note" aria-hidden="true">
          {say("key")} <i>{axisWords(say, tap.keys)}</i> →<br />
          {say("query")} <i>{axisWords(say, tap.queries)}</i> ↓
        </span>
        <div class="rg-map__overlay" ref={overlay} aria-hidden="true" />
        <div class="rg-unseen" ref={live} aria-live="polite" />
      </div>
      {screen && <Legend state={state} screen={screen} difference={difference !== null} />}
    </figure>
  );
}
