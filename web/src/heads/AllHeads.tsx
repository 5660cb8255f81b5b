/** Every head at once: layers × heads, each a small multiple of its map with the name of what it does. */
import { batch } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Thumbnail } from "../map/Thumbnail";
import type { HeadInfo, TapInfo, TraceInfo } from "../source";
import { lookAt, type State } from "../state";
import { Choice } from "../weights/Choice";
import { percent } from "../weights/words";
import { overviewOf } from "./overview";
import { arranged, brief, counts, MEANINGS, NAMES, placed, scoreOf, type Order, type Placed } from "./arrange";
import { useStop, walk } from "./walk";
import "./heads.css";

const ORDERS = [["layer", "layer"], ["pattern", "pattern's share"], ["entropy", "entropy"], ["distance", "mean distance"]] as const;
const UNDER: Record<Order, string> = {
  layer: "the share of its weight on its pattern",
  pattern: "the share of its weight on its pattern",
  entropy: "entropy in bits",
  distance: "mean distance in tokens",
};
const CELL = ".rg-head";
const ABREAST = 12; // heads of a row in which encoder, decoder and cross-attention stand beside each other

export function AllHeads({ state, trace }: { state: State; trace: TraceInfo }) {
  const answers = overviewOf(state, trace.id);
  useEffect(() => {
    for (const tap of trace.taps) answers.want(tap);
  }, [answers]);
  const found = trace.taps.map((tap) => answers.of(tap.name).value);
  const layers = new Map(trace.taps.map((tap, at) => [tap.name, found[at]]));
  const all = placed(trace.taps, (tap) => {
    const answer = layers.get(tap);
    return answer && "layer" in answer ? answer.layer : null;
  });
  const order = state.order.value;
  const shown = arranged(all, order, state.pattern.value);
  const rows = order === "layer" && !state.pattern.value;
  const failed = found.flatMap((answer) => (answer && "error" in answer ? [answer.error] : []));
  const toCome = found.filter((answer) => !answer).length;
  return (
    <section class="rg-allheads" aria-label="all heads">
      <Controls state={state} all={all} />
      {failed.length > 0 && <p class="rg-note" role="alert">{failed[0]}</p>}
      <p class="rg-note">
        {toCome > 0 ? `${toCome} of ${trace.taps.length} layers to come. ` : ""}
        Under each head: layer·head, {UNDER[order]}, and the pattern that names it, if one is well above chance. Shade: {state.shade.value === "each" ? "each by its own automatic scale" : "the root of the weight, 0 to 1, one scale for all"}.
      </p>
      <Grid state={state} trace={trace} shown={shown} rows={rows} />
    </section>
  );
}

function Controls({ state, all }: { state: State; all: readonly Placed[] }) {
  return (
    <div class="rg-row">
      <Choice
        name="pattern"
        label=""
        options={[["", <>all <span class="rg-number">{all.length}</span></>], ...counts(all).map(([name, count]) => [name, <>{name === "none" ? "no name" : NAMES[name]} <span class="rg-number">{count}</span></>, MEANINGS[name]] as const)]}
        value={state.pattern.value}
        onChoose={(name) => (state.pattern.value = state.pattern.value === name ? "" : name)}
      />
      <Choice name="order of heads" label="by" look="list" options={ORDERS} value={state.order.value} onChoose={(order) => (state.order.value = order)} />
      <Choice name="scale of heads" label="" look="joined" options={[["each", "a scale each"], ["one", "one scale"]]} value={state.shade.value} onChoose={(shade) => (state.shade.value = shade)} />
    </div>
  );
}

interface GridProps {
  state: State;
  trace: TraceInfo;
  shown: readonly Placed[];
  rows: boolean; // a row for each layer
}

/** As large as the room allows: by how many stand beside each other, and how many below. */
function Grid({ state, trace, shown, rows }: GridProps) {
  const heads = Math.max(1, ...trace.taps.map((tap) => tap.heads));
  const blocks = blocksOf(trace.taps);
  const layers = blocks.map(({ taps }) => taps.length);
  const beside = heads * blocks.length <= ABREAST;
  const wide = Math.ceil(Math.sqrt(1.6 * shown.length)) || 1;
  const [across, down] = !rows ? [wide, shown.length / wide] : beside ? [heads * blocks.length, Math.max(...layers)] : [heads, layers.reduce((sum, each) => sum + each, 0)];
  const { stop, onFocusIn } = useStop(shown.map(keyOf), `${state.tapName.value} ${state.head.value}`);
  const list = (name: string, cells: readonly Placed[]) => (
    <ul key={name} class="rg-allheads__row" aria-label={name}>
      {cells.map((each) => (
        <Cell key={keyOf(each)} state={state} one={each} stop={keyOf(each) === stop} several={blocks.length > 1 && !rows} />
      ))}
    </ul>
  );
  return (
    <div
      class="rg-allheads__grid"
      style={{ "--across": across, "--down": Math.ceil(down), "--heads": rows ? heads : across, "--least": rows ? "64px" : "88px" }}
      onKeyDown={(event) => walk(event, CELL)}
      onFocusIn={onFocusIn}
    >
      {shown.length === 0 && <p class="rg-note">No head has this name in this text.</p>}
      {rows
        ? blocks.map(({ name, taps }) => (
            <section key={name} aria-label={name}>
              {blocks.length > 1 && <h2 class="rg-section">{name}</h2>}
              {taps.map((tap) => list(`layer ${tap.layer}`, shown.filter((each) => each.tap === tap)))}
            </section>
          ))
        : list("heads", shown)}
    </div>
  );
}

function blocksOf(taps: readonly TapInfo[]): { name: string; taps: TapInfo[] }[] {
  const found = new Map<string, TapInfo[]>();
  for (const tap of taps) found.set(sideOf(tap), [...(found.get(sideOf(tap)) ?? []), tap]);
  return [...found].map(([name, own]) => ({ name: name === "cross" ? "cross-attention" : `${name} self-attention`, taps: own }));
}

interface CellProps {
  state: State;
  one: Placed;
  stop: boolean; // of the tab key
  several: boolean; // encoder and decoder among each other: each says which it is of
}

function Cell({ state, one: { tap, head, layer, info }, stop, several }: CellProps) {
  const order = state.order.value;
  const current = state.tapName.value === tap.name && state.head.value === head;
  const score = info && scoreOf(info);
  const open = () =>
    batch(() => {
      lookAt(state, tap, head);
      state.view.value = "map";
    });
  const name = `${sideOf(tap)} layer ${tap.layer}, head ${head}`;
  const measured = info && (order === "entropy" ? brief(info.entropy) : order === "distance" && info.distance !== null ? brief(info.distance) : "");
  return (
    <li>
      <button
        type="button"
        class="rg-head"
        data-key={`${tap.name} ${head}`}
        tabIndex={stop ? 0 : -1}
        aria-current={current ? "true" : undefined}
        aria-label={info ? `${name}: ${described(info)}` : name}
        title={info ? `${name}\n${described(info)}` : name}
        onClick={open}
      >
        <Thumbnail
          state={state}
          thumbnails={layer?.thumbnails ?? null}
          head={head}
          rows={tap.rows}
          columns={tap.columns}
          causal={state.shade.value === "each" ? tap.causal : undefined}
        />
        <span class="rg-head__words" aria-hidden="true">
          <span class="rg-head__place rg-number">
            <span>{several ? `${SHORT[sideOf(tap)]} ` : ""}{tap.layer}·{head}</span>
            <span>{measured || (score ? percent(score.share) : "")}</span>
          </span>
          <span class="rg-cut">{score?.name}</span>
        </span>
      </button>
    </li>
  );
}

function keyOf({ tap, head }: Placed): string {
  return `${tap.name} ${head}`;
}

function sideOf({ side, kind }: { side: string; kind: string }): string {
  return kind === "cross" ? "cross" : side;
}

const SHORT: Record<string, string> = { encoder: "enc", decoder: "dec", cross: "cross" };

/** "previous token, 87 % of the weight, 8 % by chance; entropy 1.20 bits, mean distance 2.1 tokens" */
export function described(info: HeadInfo): string {
  const score = scoreOf(info);
  const name = score ? `${NAMES[score.name]}, ${percent(score.share)} of the weight, ${percent(score.chance)} by chance` : "no name";
  const distance = info.distance === null ? "" : `, mean distance ${info.distance.toFixed(1)} tokens`;
  return `${name}; entropy ${info.entropy.toFixed(2)} bits${distance}`;
}
