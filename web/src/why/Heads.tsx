/** Layers × heads: what each adds to the logit, or takes from it; a click opens the head's map. */
import { batch } from "@preact/signals";
import type { Attribution, TraceInfo } from "../source";
import { lookAt, type State } from "../state";
import { tokenLabel, type Style } from "../weights/units";
import { filled, useWords, type Key } from "../words/words";
import { signed, termsOf } from "./terms";

interface HeadsProps {
  state: State;
  trace: TraceInfo;
  attribution: Attribution;
  style: Style;
}

export function Heads({ state, trace, attribution, style }: HeadsProps) {
  const { rows, embedding, bias, largest } = termsOf(attribution);
  const say = useWords();
  const columns = Math.max(...rows.map((row) => row.heads.length), 1);
  const open = (name: string, head: number) => {
    const tap = trace.taps.find((each) => each.name === name);
    if (!tap) return;
    batch(() => {
      lookAt(state, tap, head);
      state.view.value = "map";
    });
  };
  const word = tokenLabel(attribution.token, style);
  return (
    <>
      <div class="rg-why__scroll" tabIndex={0} role="region" aria-label={say("why.grid")}>
        <table class="rg-why__table rg-why__table--heads">
          <thead>
            <tr>
              <th scope="col">{say("layer")}</th>
              {Array.from({ length: columns }, (_, head) => (
                <th key={head} scope="col">{say("head.n", { head })}</th>
              ))}
              <th scope="col">{say("why.network")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.layer} ${row.kind}`}>
                <th scope="row">{row.layer} {row.kind && say(`tap.${row.kind}` as Key)}</th>
                {Array.from({ length: columns }, (_, head) => (
                  <td key={head}>
                    {row.heads[head] !== undefined && (
                      <button
                        type="button"
                        class="rg-why__cell rg-number"
                        style={shade(row.heads[head], largest)}
                        aria-label={`${say("layers.layer", { layer: row.layer })} ${say(`tap.${row.kind}` as Key)}, ${say("head.n", { head })}: ${signed(row.heads[head])}; ${say("why.open")}`}
                        title={say("why.open")}
                        onClick={() => open(row.tap, head)}
                      >
                        {signed(row.heads[head])}
                      </button>
                    )}
                  </td>
                ))}
                <td>
                  {row.network !== null && (
                    <span class="rg-why__cell rg-number" style={shade(row.network, largest)}>{signed(row.network)}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="rg-note rg-number">
        {filled(say(attribution.against === null ? "why.logit" : "why.over", { embedding: signed(embedding), bias: signed(bias), word, against: tokenLabel(attribution.against ?? "", style) }), {
          logit: <strong>{signed(attribution.logit)}</strong>,
        })}
      </p>
      <p class="rg-note">{say("why.add")}</p>
    </>
  );
}

/** Up to two fifths of the color, so that the number stays legible. */
function shade(value: number, largest: number) {
  const share = largest > 0 ? Math.round((40 * Math.abs(value)) / largest) : 0;
  return { background: `color-mix(in srgb, var(${value < 0 ? "--rg-loss" : "--rg-gain"}) ${share}%, transparent)` };
}
