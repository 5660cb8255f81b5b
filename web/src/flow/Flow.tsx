/** The flow: queries left, keys right, a line for each weight that counts; tokens are followed and locked. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { State } from "../state";
import { Choice } from "../weights/Choice";
import { useSize } from "../weights/size";
import { knows } from "../weights/units";
import { amount, captionWords, counted, headWords, percent } from "../weights/words";
import { Curves } from "./Curves";
import { FarTokens } from "./FarTokens";
import "./flow.css";
import { chosen, slotsOf } from "./heads";
import type { Column } from "./layout";
import { rowOf, scrollTo, side as sideOf } from "./layout";
import type { Line } from "./lines";
import { chooseLines, linesOf, linesOfLooks } from "./lines";
import { overlapping, positionsToggled, strongestCell } from "./locks";
import type { Followed } from "./picture";
import { useAsked, usePicture } from "./picture";
import { Readout } from "./Readout";
import type { Mark } from "./TokenColumn";
import { TokenColumn } from "./TokenColumn";

export function Flow({ state }: { state: State }) {
  const picked = chosen(slotsOf(state));
  const loaded = usePicture(state, picked);
  const picture = loaded.value;

  const follow = useSignal<Followed | null>(null);
  const lockedKeys = useSignal<number[]>([]);
  const current = useSignal({ query: 0, key: 0 });
  const scrolls = useSignal({ query: 0, key: 0 });
  const linked = useSignal(true);
  const boxes = { query: useRef<HTMLDivElement>(null), key: useRef<HTMLDivElement>(null) };
  const canvas = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(canvas);
  useEffect(() => {
    follow.value = null;
    lockedKeys.value = [];
    current.value = { query: 0, key: 0 };
  }, [picture?.trace.id, picture?.tap.queries, picture?.tap.keys, picture?.queries.length]);

  const queries = picture?.queries ?? [];
  const keys = picture?.keys ?? [];
  const longest = Math.max(queries.length, keys.length);
  const row = rowOf(height, longest);
  const columns: Record<"query" | "key", Column> = {
    query: { scroll: scrolls.value.query, height, count: queries.length, row },
    key: { scroll: scrolls.value.key, height, count: keys.length, row },
  };
  const lockedQuery = useMemo(() => overlapping(queries, state.locked.value), [queries, state.locked.value]);
  const lockedKey = useMemo(() => overlapping(keys, lockedKeys.value), [keys, lockedKeys.value]);

  // A long map has no overview: until a token is followed, it shows the one in focus or the last in sight.
  const followed: Followed[] = [...lockedQuery].map((index) => ({ side: "query", index }));
  followed.push(...[...lockedKey].map((index): Followed => ({ side: "key", index })));
  const hovered = follow.value;
  const spoken = hovered?.side === "query" ? (queries[hovered.index]?.first ?? null) : null;
  useEffect(() => {
    state.about.value = spoken === null ? null : { query: spoken, key: 0 };
    return () => {
      state.about.value = null;
    };
  }, [spoken]);
  if (hovered && !followed.some((each) => each.side === hovered.side && each.index === hovered.index)) followed.push(hovered);
  if (picture && !picture.maps && followed.length === 0 && queries.length) {
    const focused = [...overlapping(queries, state.focus.value ? [state.focus.value.query] : [])][0];
    const inSight = Math.min(queries.length, Math.floor((columns.query.scroll + height) / row - 0.5) + 1) - 1;
    followed.push({ side: "query", index: focused ?? Math.max(0, inSight) });
  }
  const asked = useAsked(state, picture, followed);
  const followedIn = (which: "query" | "key") =>
    new Set(followed.filter((each) => each.side === which).map((each) => each.index));
  const [followedQueries, followedKeys] = [followedIn("query"), followedIn("key")];
  const quiet = followed.length > 0;

  // Those in sight are the tokens whose middle is.
  const seenFrom = Math.ceil(columns.query.scroll / row - 0.5);
  const seenTo = Math.floor((columns.query.scroll + height) / row - 0.5) + 1;
  const shown = useMemo(() => {
    if (!picture) return chooseLines({ lines: [], more: { count: 0, value: 0 } });
    if (!picture.maps) return chooseLines(linesOfLooks(asked.value ?? [], queries, keys));
    const want = quiet
      ? (query: number, key: number) => followedQueries.has(query) || followedKeys.has(key)
      : (query: number) => query >= seenFrom && query < seenTo;
    return chooseLines(linesOf(picture.maps, want));
  }, [picture, asked.value, JSON.stringify(followed), quiet ? 0 : seenFrom, quiet ? 0 : seenTo]);
  const largest = shown.lines[shown.lines.length - 1]?.value ?? 0;

  const marks = useMemo(() => {
    const of = { query: new Map<number, Mark>(), key: new Map<number, Mark>() };
    if (!picture || !quiet) return of;
    for (const line of shown.lines) {
      const mark: Mark = {
        share: largest ? line.value / largest : 0,
        text: line.value >= 0.01 * (picture.quantity === "weight" ? 1 : largest) ? amount(line.value, picture.quantity) : "",
        color: picture.heads[line.slot]?.color ?? 0,
      };
      // The lines come weakest first, so the strongest is what a token ends up with.
      if (followedQueries.has(line.query)) of.key.set(line.key, mark);
      if (followedKeys.has(line.key)) of.query.set(line.query, mark);
    }
    return of;
  }, [shown, picture]);

  if (!state.trace.value || !state.tap.value) {
    return <p class="rg-note rg-note--empty">write a text and look at it; its tokens and the lines between them appear here</p>;
  }

  const scroll = (which: "query" | "key", value: number, alone = false) => {
    const both = linked.value && !alone && picture?.tap.queries === picture?.tap.keys;
    const next = both ? { query: value, key: value } : { ...scrolls.value, [which]: value };
    if (next.query !== scrolls.value.query || next.key !== scrolls.value.key) scrolls.value = next;
    for (const each of ["query", "key"] as const) {
      const box = boxes[each].current;
      if (box && Math.abs(box.scrollTop - next[each]) > 1) box.scrollTop = next[each];
    }
  };
  const followAt = (which: "query" | "key", index: number) => {
    if (follow.value?.side !== which || follow.value.index !== index) follow.value = { side: which, index };
    if (current.value[which] !== index) current.value = { ...current.value, [which]: index };
  };
  const lockAt = (which: "query" | "key", index: number) => {
    const unit = (which === "query" ? queries : keys)[index];
    if (!unit || !picture) return;
    followAt(which, index);
    if (which === "key") {
      lockedKeys.value = positionsToggled(lockedKeys.value, unit);
      return;
    }
    state.locked.value = positionsToggled(state.locked.value, unit);
    const best = picture.tokens?.[0] ? strongestCell(picture.tokens[0], unit, { first: 0, end: picture.tap.columns }) : null;
    state.focus.value = best ?? { query: unit.first, key: asked.value?.[0]?.looks.looks[0]?.position ?? 0 };
  };
  const release = () => {
    state.locked.value = [];
    lockedKeys.value = [];
    follow.value = null;
  };
  const ask = (line: Line) => {
    if (!picture) return;
    const [query, key] = [queries[line.query], keys[line.key]];
    const head = picture.heads[line.slot]?.head;
    if (!query || !key || head === undefined) return;
    const map = picture.tokens?.[line.slot];
    state.head.value = head;
    state.focus.value = (map && strongestCell(map, query, key)) ?? { query: query.first, key: key.first };
    state.drawer.value = true;
  };
  const jump = (which: "query" | "key", index: number) => {
    linked.value = false;
    scroll(which, scrollTo(columns[which], index), true);
  };
  const cross = (from: "query" | "key") => {
    const other = from === "query" ? "key" : "query";
    const index = current.value[other];
    if (sideOf(columns[other], index) !== 0) scroll(other, scrollTo(columns[other], index), true);
    boxes[other].current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  };

  const tap = picture?.tap ?? state.tap.value;
  const quantity = picture?.quantity ?? "weight";
  const axes = [state.trace.value.axes[tap.queries], state.trace.value.axes[tap.keys]];
  const groups = (["token", "word", "sentence"] as const)
    .filter((group) => axes.every((axis) => knows(axis, group)))
    .map((group) => [group, group] as const);
  const scrolling = longest * row > height + 1 && height > 0;
  const color = picture?.heads.length === 1 ? (picture.heads[0]?.color ?? 0) : null;
  const error = loaded.error ?? asked.error;
  const busy = loaded.loading || asked.loading;
  const column = (which: "query" | "key") => (
    <TokenColumn
      side={which}
      name={which === "query" ? tap.queries : tap.keys}
      units={which === "query" ? queries : keys}
      column={columns[which]}
      current={current.value[which]}
      followed={which === "query" ? followedQueries : followedKeys}
      locked={which === "query" ? lockedQuery : lockedKey}
      quiet={quiet}
      marks={marks[which]}
      box={boxes[which]}
      onScroll={(value) => scroll(which, value)}
      onFollow={(index) => followAt(which, index)}
      onLock={(index) => lockAt(which, index)}
      onRelease={release}
      onCross={() => cross(which)}
    />
  );
  const far = (which: "query" | "key", where: -1 | 1) => (
    <FarTokens
      side={which}
      where={where}
      column={columns[which]}
      lines={quiet ? shown.lines : []}
      units={which === "query" ? queries : keys}
      text={(value) => amount(value, quantity)}
      onJump={(index) => jump(which, index)}
    />
  );

  return (
    <section class="rg-views rg-flow" aria-label="flow" aria-busy={busy}>
      <header class="rg-views__head">
        <p class="rg-note">{captionWords(quantity, tap, (picture?.heads ?? picked).map((each) => each.head))}</p>
        {groups.length > 1 && (
          <Choice name="by" options={groups} value={groups.some(([each]) => each === state.group.value) ? state.group.value : "token"} onChoose={(group) => (state.group.value = group)} />
        )}
        {tap.quantities.includes("norm") && (
          <Choice
            name="lines"
            options={[["weight", "α", "the weight: the output of softmax"], ["norm", "‖α·f(x)‖", "the length of the vector that the weight lets through"]]}
            value={quantity}
            onChoose={(next) => (state.quantity.value = next)}
          />
        )}
        {scrolling && tap.queries === tap.keys && (
          <Choice
            name="columns scroll"
            options={[["together", "together"], ["apart", "apart"]]}
            value={linked.value ? "together" : "apart"}
            onChoose={(value) => (linked.value = value === "together")}
          />
        )}
      </header>
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      <div
        class="rg-flow__body"
        onPointerLeave={() => (follow.value = null)}
        onFocusOut={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) follow.value = null;
        }}
      >
        <div class="rg-flow__sides">
          <h3 class="rg-flow__side">query <span>{tap.queries}</span></h3>
          <h3 class="rg-flow__side">key <span>{tap.keys}</span></h3>
        </div>
        {scrolling && <div class="rg-flow__far">{far("query", -1)}{far("key", -1)}</div>}
        <div class="rg-flow__columns" style={{ "--tokens": Math.max(queries.length, keys.length, 1) }}>
          {column("query")}
          <div class="rg-flow__canvas" ref={canvas}>
            {picture && width > 0 && (
              <Curves
                shown={shown}
                heads={picture.heads}
                columns={columns}
                size={{ width, height }}
                largest={largest}
                followed={{ query: [...followedQueries], key: [...followedKeys] }}
                color={color}
                describe={(line) =>
                  [
                    `${queries[line.query]?.label} → ${keys[line.key]?.label}`,
                    `${amount(line.value, quantity)} · ${headWords(picture.heads[line.slot]?.head ?? 0)}`,
                  ]
                }
                onHover={(line) => {
                  const [query, key] = line ? [queries[line.query], keys[line.key]] : [];
                  state.hover.value = query && key ? { query: query.first, key: key.first } : null;
                }}
                onAsk={ask}
              />
            )}
          </div>
          {column("key")}
        </div>
        {scrolling && <div class="rg-flow__far">{far("query", 1)}{far("key", 1)}</div>}
      </div>
      <footer class="rg-flow__foot">
        <p class="rg-note rg-flow__rest">
          {shown.more.count > 0 && <span class="rg-flow__swatch" aria-hidden="true" />}
          {shown.more.count > 0
            ? `${counted(shown.more.count, "more line")}, ${percent(shown.more.value / (shown.total || 1))} of the ${quantity}`
            : shown.lines.length > 0 && `all ${counted(shown.lines.length, "line")}`}
          {!quiet && scrolling && " from the visible queries"}
        </p>
        {picture && quiet ? (
          <Readout picture={picture} lines={shown.lines} followed={followed} onAsk={ask} />
        ) : (
          <p class="rg-note" data-screen>hover over a token to follow it, click or press <kbd>l</kbd> to lock it, press <kbd>Esc</kbd> to release all; click a line for its equation</p>
        )}
      </footer>
    </section>
  );
}
