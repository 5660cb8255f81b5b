/** An image cut into its patches: each is as strong in color as the one that is pointed at looks at it. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useTheme } from "../color/theme";
import { between, coloring, emptyExtent, fraction, widen } from "../color/scales";
import { isLong, survey } from "../color/survey";
import { useAbout } from "../flow/locks";
import { partOf } from "../off/parts";
import { bringBack, namesOf, off, rewrites, strike } from "../off/switch";
import { Shown } from "../shell/Toolbar";
import type { TapInfo, TraceInfo } from "../source";
import type { State } from "../state";
import { useLoaded } from "../weights/loaded";
import { fetchRows, fitsWhole, shownQuantity } from "../weights/matrix";
import { amount, captionWords } from "../weights/words";
import { useWords } from "../words/words";
import { moved, type Image } from "./grid";
import "./image.css";

interface Props {
  state: State;
  trace: TraceInfo;
  image: Image;
}

export function Picture({ state, trace, image }: Props) {
  const say = useWords();
  const tap = state.tap.value as TapInfo;
  const pointed = useSignal<number | null>(null);
  const kept = state.focus.value?.query ?? 0;
  const query = pointed.value ?? kept;
  const box = useRef<HTMLDivElement>(null);
  const { of, error } = useShares(state, trace, query, box);
  const looks = tap.queries === image.axis; // else a query of another axis looks at all of it
  useAbout(state, pointed.value === null ? null : { query: pointed.value, key: 0 });
  const [best] = trace.labels ?? [];
  const struck = new Set(off(state).map(partOf).flatMap((part) => (part?.what === "token" && part.axis === image.axis ? [part.position] : [])));
  const keep = (at: number) => {
    if (looks) state.focus.value = { query: at, key: at };
  };
  const token = (at: number) => {
    const share = of(at);
    const name = at < image.extra && best ? `${image.tokens[at]} · ${best.token}` : image.tokens[at];
    return (
      <button
        key={at}
        type="button"
        role="radio"
        aria-checked={at === kept}
        aria-label={`${name}${share ? `, ${share.text}` : ""}`}
        tabIndex={at === kept ? 0 : -1}
        class={`rg-patch${at === query && looks ? " rg-patch--query" : ""}${struck.has(at) ? " rg-patch--off" : ""}`}
        style={share?.style}
        onPointerEnter={(event) => looks && event.pointerType === "mouse" && (pointed.value = at)}
        onClick={() => keep(at)}
      >
        {at < image.extra && <span>{name}</span>}
        {share && share.value >= 0.01 && <span class="rg-number rg-patch__share">{share.text}</span>}
      </button>
    );
  };
  const all = image.tokens.map((_, at) => at);
  const span = { first: kept, end: kept + 1 };
  const word = image.tokens[kept] ?? "";
  return (
    <section class="rg-views rg-image" aria-label={say("image")}>
      <div
        ref={box}
        class="rg-image__patches"
        role="radiogroup"
        aria-label={say("axis.patches")}
        onPointerLeave={() => (pointed.value = null)}
        onKeyDown={(event) => {
          const to = event.ctrlKey || event.metaKey || event.altKey ? null : moved(event.key, kept, image);
          if (to === null) return;
          event.preventDefault();
          event.stopPropagation(); // the page has its own use for arrows
          keep(to);
          event.currentTarget.querySelectorAll<HTMLElement>("button")[to]?.focus();
        }}
      >
        {image.extra > 0 && <div class="rg-row rg-image__whole">{all.slice(0, image.extra).map(token)}</div>}
        <Grid image={image}>{all.slice(image.extra).map(token)}</Grid>
      </div>
      {error && <p class="rg-note rg-note--error" role="alert">{error}</p>}
      <header class="rg-row rg-views__head">
        <p class="rg-note">{captionWords(say, shownQuantity(state.quantity.value, tap), tap, [state.head.value])}</p>
        <Shown state={state} trace={trace} tap={tap} lines />
        {rewrites(state) && looks && kept >= image.extra && (
          <button type="button" class="rg-button" disabled={state.busy.value} onClick={() => void (struck.has(kept) ? bringBack(state, namesOf(state, image.axis, span)) : strike(state, image.axis, span))}>
            {struck.has(kept) ? `${say("changed.back")} ${word}` : say("said.strike", { word })}
          </button>
        )}
      </header>
      <p class="rg-note rg-views__hint" data-screen>{say("image.hint")}</p>
    </section>
  );
}

/** The image beside its map: small, with the row that is pointed at. */
export function Seen({ state, trace, image }: Props) {
  const say = useWords();
  const at = state.hover.value ?? state.focus.value;
  const box = useRef<HTMLDivElement>(null);
  const { of } = useShares(state, trace, at?.query ?? 0, box);
  const marks = (position: number) => `${position === at?.query ? " rg-patch--query" : ""}${position === at?.key ? " rg-patch--key" : ""}`;
  return (
    <div class="rg-image__seen" ref={box} role="img" aria-label={say("image")}>
      <Grid image={image}>
        {image.tokens.slice(image.extra).map((token, i) => <span key={token} class={`rg-patch${marks(i + image.extra)}`} style={of(i + image.extra)?.style} />)}
      </Grid>
    </div>
  );
}

function Grid({ image, children }: { image: Image; children: ComponentChildren }) {
  const aspect = useSignal(image.columns / image.rows);
  return (
    <div class="rg-image__grid" role="presentation" style={{ "--columns": image.columns, "--aspect": aspect.value }}>
      <img src={image.source} alt="" onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => (aspect.value = naturalWidth / naturalHeight)} />
      {children}
    </div>
  );
}

interface Share {
  value: number;
  text: string;
  style: Record<string, string | number>;
}

/** What a row has at each position, in the color that the map has for it; null where the mask forbids. */
function useShares(state: State, trace: TraceInfo, query: number, box: { current: HTMLElement | null }) {
  const tap = state.tap.value as TapInfo;
  const { value: head } = state.head;
  const quantity = shownQuantity(state.quantity.value, tap);
  const colors = useTheme(box, state.dark.value);
  const row = Math.min(query, tap.rows - 1);
  const from = fitsWhole(tap) ? 0 : row;
  const key = JSON.stringify([trace.id, tap.name, head, quantity, from]);
  const { now: map, error } = useLoaded(key, (signal) =>
    fetchRows(state.source, trace.id, tap, head, quantity, { first: from, end: fitsWhole(tap) ? tap.rows : row + 1 }, signal),
  );
  const by = useMemo(() => {
    if (!map) return null;
    const extent = emptyExtent();
    widen(extent, map.values);
    const automatic = survey([{ ...map, row: 0, column: 0 }], { perRow: false, rooted: isLong(tap.rows, tap.columns), shares: quantity === "weight" });
    return between(coloring(state.scale.value, quantity, false, extent, tap.columns, automatic), state.ends.value);
  }, [map, state.scale.value, state.ends.value]);
  const values = map?.values.subarray((row - from) * map.width, (row - from + 1) * map.width);
  const most = Math.max(...(values ?? []).filter((value) => value > 0), 0);
  const of = (position: number): Share | null => {
    const value = values?.[position];
    if (value === undefined || Number.isNaN(value) || !by) return null;
    const place = fraction(by, value, 0, most);
    const color = colors?.("weight", place, 1);
    return { value, text: amount(value, quantity), style: { "--ground": color?.background ?? "", "--ink": color?.color ?? "" } };
  };
  return { of, error };
}
