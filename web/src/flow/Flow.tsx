/** The flow: queries left, keys right, a line for each weight that counts; tokens are followed and locked. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { middle, rendered, rowOf, sheaf, type Extent, type Strand } from "../links/layout";
import { among, Links, type End, type Look, type Pointed } from "../links/Links";
import { Shown } from "../shell/Toolbar";
import type { State } from "../state";
import { useSize } from "../weights/size";
import { unitAt, type Unit } from "../weights/units";
import { amount, axisWords, captionWords, headWords, percent } from "../weights/words";
import { filled, useWords } from "../words/words";
import "./flow.css";
import { chosen, slotsOf } from "./heads";
import { chooseLines, linesOf, linesOfLooks, without, type Line, type Lines } from "./lines";
import { overlapping, positionsToggled, strongestCell, useAbout, useLocks } from "./locks";
import { useAsked, usePicture } from "./picture";

const [THINNEST, THICKEST] = [0.75, 8]; // px
const APART = 3; // px between the same line of two heads
const WIDEST = 180; // px of a column
const NONE: Unit[] = [];

export function Flow({ state }: { state: State }) {
  const say = useWords();
  const picked = chosen(slotsOf(state));
  const loaded = usePicture(state, picked);
  const picture = loaded.value;

  const scroll = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const queries = picture?.queries ?? NONE;
  const keys = picture?.keys ?? NONE;
  const { hover, columns, locked, release } = useLocks(state, queries, keys, [picture?.trace.id, picture?.tap.queries, picture?.tap.keys, picture?.queries.length]);
  const longest = Math.max(queries.length, keys.length);
  const row = rowOf(height, longest);
  const extents = useMemo(() => {
    const all = Array.from({ length: longest }, (_, i): Extent => ({ start: i * row + 1, end: (i + 1) * row - 1 }));
    return { query: all.slice(0, queries.length), key: all.slice(0, keys.length) };
  }, [queries.length, keys.length, row]);

  // A long map has no overview: until a token is followed, it shows the one in focus or the last in sight.
  const followed = hover.value && !among(locked, hover.value) ? [...locked, hover.value] : [...locked];
  const spoken = queries[followed.filter(({ side }) => side === "query").at(-1)?.index ?? -1];
  useAbout(state, spoken ? { query: spoken.first, key: 0 } : null);
  const sight = [Math.ceil(scroll.value / row - 0.5), Math.floor((scroll.value + height) / row - 0.5) + 1] as const; // whose middle is seen
  if (picture && !picture.maps && followed.length === 0 && queries.length) {
    const focused = [...overlapping(queries, state.focus.value ? [state.focus.value.query] : [])][0];
    followed.push({ side: "query", index: focused ?? Math.max(0, Math.min(queries.length, sight[1]) - 1) });
  }
  useEffect(() => {
    const focused = picture && !picture.maps && state.focus.value ? unitAt(queries, state.focus.value.query) : -1;
    if (focused >= 0) box.current?.scrollTo(0, focused * row - 0.8 * box.current.clientHeight); // what it looks at is mostly above it
  }, [picture?.trace.id, queries.length, height > 0]);
  const asked = useAsked(state, picture, followed);
  const quiet = followed.length > 0;
  const sinkless = state.sinkless.value;
  const shown = useMemo(() => {
    if (!picture) return chooseLines({ lines: [], more: { count: 0, value: 0 } });
    const seen = (all: Lines) => (sinkless ? without(all, ({ key }) => keys[key]?.first === 0) : all);
    if (!picture.maps) return chooseLines(seen(linesOfLooks(asked.value ?? [], queries, keys)));
    const want = quiet
      ? (query: number, key: number) => among(followed, { side: "query", index: query }) || among(followed, { side: "key", index: key })
      : (query: number) => query >= sight[0] && query < sight[1];
    const all = seen(linesOf(picture.maps, want));
    return chooseLines(quiet || keys.every((key) => key.special) ? all : without(all, ({ key }) => keys[key]?.special === true));
  }, [picture, asked.value, sinkless, JSON.stringify(followed), ...(quiet ? [0, 0] : sight)]);
  const largest = shown.lines.at(-1)?.value ?? 0;
  const heads = picture?.heads ?? picked;
  const colorOf = ({ slot }: { slot: number }) => heads[slot]?.color ?? 0;
  const quantity = picture?.quantity ?? "weight";
  const strands = useMemo(() => {
    const share = (line: Line) => (largest > 0 ? Math.min(1, line.value / largest) : 0);
    return shown.lines.map((line): Strand => {
      const shift = (line.slot - (heads.length - 1) / 2) * Math.min(APART, (row - 8) / heads.length);
      const at = (side: End) => middle(extents[side][line[side]] ?? { start: 0, end: 0 }) + shift;
      return { ...line, from: at("query"), to: at("key"), width: THINNEST + (THICKEST - THINNEST) * share(line) };
    });
  }, [shown, extents]);
  const looks = useMemo(() => {
    const of = { query: new Map<number, Look>(), key: new Map<number, Look>() };
    if (!quiet) return of;
    for (const line of shown.lines) {
      const number = line.value >= 0.01 * (quantity === "weight" ? 1 : largest) ? amount(line.value, quantity) : "";
      const look = { number, share: largest ? line.value / largest : 0, color: colorOf(line) };
      // The lines come weakest first, so the strongest is what a token ends up with.
      if (among(followed, { side: "query", index: line.query })) of.key.set(line.key, look);
      if (among(followed, { side: "key", index: line.key })) of.query.set(line.query, look);
    }
    return of;
  }, [shown]);

  if (!state.trace.value || !state.tap.value) return null;

  const unitsOf = (side: End) => (side === "query" ? queries : keys);
  const lock = ({ side, index }: Pointed) => {
    const unit = unitsOf(side)[index];
    if (!unit || !picture) return;
    if (side === "key") return void (columns.value = positionsToggled(columns.value, unit));
    state.locked.value = positionsToggled(state.locked.value, unit);
    const best = picture.tokens?.[0] ? strongestCell(picture.tokens[0], unit, { first: 0, end: picture.tap.columns }) : null;
    state.focus.value = best ?? { query: unit.first, key: asked.value?.[0]?.looks.looks[0]?.position ?? 0 };
  };
  const ask = (line: Strand) => {
    const [query, key, head] = [queries[line.query], keys[line.key], heads[line.slot]?.head];
    if (!query || !key || head === undefined) return;
    const map = picture?.tokens?.[line.slot];
    state.head.value = head;
    state.focus.value = (map && strongestCell(map, query, key)) ?? { query: query.first, key: key.first };
    state.toward.value = state.focus.value.key;
    state.drawer.value = "cell";
  };

  const tap = picture?.tap ?? state.tap.value;
  const scrolling = longest * row > height + 1 && height > 0;
  const column = Math.min(WIDEST, Math.floor(0.36 * width));
  const depth = width - 2 * column;
  const error = loaded.error ?? asked.error;
  // What is summed spreads from what is followed to the whole other side.
  const reach = (side: End): Extent => {
    const ends = followed.filter((each) => each.side === side).map(({ index }) => middle(extents[side][index] ?? { start: 0, end: 0 }));
    return ends.length ? { start: Math.min(...ends) - 2, end: Math.max(...ends) + 2 } : { start: scroll.value, end: Math.min(extents[side].length * row, scroll.value + height) };
  };
  const rest = shown.total ? shown.more.value / shown.total : 0;
  const sideOf = (side: End) => ({ side, name: side, units: unitsOf(side), extents: extents[side], shown: rendered(scroll.value, height, row, unitsOf(side).length) });

  return (
    <section class="rg-views rg-flow" aria-label={say("flow")} aria-busy={loaded.loading || asked.loading}>
      <header class="rg-row rg-views__head">
        <p class="rg-note">{captionWords(say, quantity, tap, heads.map((each) => each.head))}</p>
        <Shown state={state} trace={state.trace.value} tap={tap} lines />
      </header>
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      <div class="rg-flow__body">
        <div class="rg-flow__sides">
          <h3>{say("query")} <span class="rg-note">{axisWords(say, tap.queries)}</span></h3>
          <h3>{say("key")} <span class="rg-note">{axisWords(say, tap.keys)}</span></h3>
        </div>
        <div class="rg-flow__window" ref={box} style={{ "--tokens": Math.max(longest, 1) }} onScroll={(event) => (scroll.value = event.currentTarget.scrollTop)}>
          {picture && depth > 0 && (
            <Links
              sides={[sideOf("query"), sideOf("key")]}
              down={false}
              depth={depth}
              column={column}
              length={longest * row}
              strands={strands}
              paint={(strand) => ({ name: `${strand.slot} ${strand.query} ${strand.key}`, cell: `${queries[strand.query]?.first} ${keys[strand.key]?.first} 1`, color: `var(--rg-head-${colorOf(strand)})`, opacity: 0.1 + 0.85 * (strand.value / largest) ** 0.8 })}
              describe={(line) => [`${queries[line.query]?.label} → ${keys[line.key]?.label}`, `${amount(line.value, quantity)} · ${headWords(say, heads[line.slot]?.head ?? 0)}`]}
              look={({ side, index }) => ({ aside: String(unitsOf(side)[index]?.first), ...looks[side].get(index) })}
              active={followed}
              locked={locked}
              behind={rest > 0 && <path class="rg-flow__bundle" d={sheaf(depth, reach("query"), reach("key"))} style={{ stroke: "none", fill: heads.length > 1 ? "var(--rg-muted)" : `var(--rg-head-${heads[0]?.color ?? 0})` }} fill-opacity={0.04 + 0.12 * rest} />}
              onHover={(pointed) => (hover.value = pointed)}
              onLock={lock}
              onRelease={() => {
                release();
                state.toward.value = null;
              }}
              onPoint={(line) => {
                const [query, key] = line ? [queries[line.query], keys[line.key]] : [];
                state.hover.value = query && key ? { query: query.first, key: key.first } : null;
              }}
              onAsk={ask}
            />
          )}
        </div>
      </div>
      <p class="rg-note rg-views__hint">
        {shown.more.count > 0
          ? say("flow.more", { count: shown.more.count.toLocaleString("en"), share: percent(shown.more.value / (shown.total || 1)), quantity: say(quantity) })
          : shown.lines.length > 0 && say("flow.all", { count: shown.lines.length })}
        {sinkless && ` · ${say("which.sinkless")}`}
        {!quiet && scrolling && ` ${say("flow.visible")}`}
        <span data-screen> · {filled(say("flow.hint"), { l: <kbd>l</kbd>, esc: <kbd>Esc</kbd> })}</span>
      </p>
    </section>
  );
}
