/** Layers × heads: what each adds to the logit, or takes from it; a click opens the head's map. */
import { batch } from "@preact/signals";
import { WordTable, type Column } from "../learn/pictures/WordTable";
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
  const ofHead = (head: number): Column => ({
    title: say("head.n", { head }),
    look: "number",
    says: (row) => shade(rows[row]?.heads[head], largest),
    cell: (row) => {
      const { layer, kind, tap, heads } = rows[row] as (typeof rows)[number];
      const value = heads[head];
      if (value === undefined) return null;
      return (
        <button type="button" aria-label={`${say("layers.layer", { layer })} ${say(`tap.${kind}` as Key)}, ${say("head.n", { head })}: ${signed(value)}; ${say("why.open")}`} title={say("why.open")} onClick={() => open(tap, head)}>
          {signed(value)}
        </button>
      );
    },
  });
  const word = tokenLabel(attribution.token, style);
  return (
    <>
      <div class="rg-why__scroll" tabIndex={0} role="region" aria-label={say("why.grid")}>
        <WordTable
          look="rg-why__table"
          label={say("why.grid")}
          corner={say("layer")}
          words={rows.map(({ layer, kind }) => `${layer} ${kind && say(`tap.${kind}` as Key)}`)}
          columns={[...Array.from({ length: columns }, (_, head) => ofHead(head)), { title: say("why.network"), look: "number", cell: (row) => rows[row]?.network != null && signed(rows[row].network), says: (row) => shade(rows[row]?.network, largest) }]}
          spotlight={-1}
        />
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
function shade(value: number | null | undefined, largest: number) {
  const share = value != null && largest > 0 ? Math.round((40 * Math.abs(value)) / largest) : 0;
  return { style: { background: `color-mix(in srgb, var(${(value ?? 0) < 0 ? "--rg-loss" : "--rg-gain"}) ${share}%, transparent)` } };
}
