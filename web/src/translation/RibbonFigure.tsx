/** Source above and output below with ribbons between; side by side where the lines do not fit. */
import { useMemo, useRef } from "preact/hooks";
import { length, linedUp, middle, ROW, type Extent, type Strand } from "../links/layout";
import { among, Links, type Look, type Pointed } from "../links/Links";
import type { Reliance } from "../source";
import type { Unit } from "../weights/units";
import { amount, percent } from "../weights/words";
import { useWords } from "../words/words";
import { NEEDED, needLines, pointsOf, type Need } from "./needed";
import { ribbons } from "./ribbons";
import { peaksOf, type Aligned } from "./aligned";
import type { Held } from "./pull";
import { spread, Wave, WAVE } from "./Wave";

interface RibbonFigureProps {
  aligned: Aligned;
  width: number;
  active?: readonly Pointed[];
  locked: readonly Pointed[];
  struck?: ReadonlySet<number>; // of the source's words
  chances: readonly number[]; // of the output's words
  unsureBelow?: number; // a word of less probability is unsure
  relied?: readonly (Reliance | null)[] | null; // of the source's words
  needs?: readonly Need[];
  pulled: ReadonlySet<number>; // of the output's words: they look where the reader wants
  pull: Held | null;
  free?: boolean; // a word that looks nowhere can be given a look, and has its probability under it
  onStrike?: ((word: number) => void) | null; // null: nothing can be struck out
  onPull: ((word: number, key: number) => void) | null; // null: nothing can be pulled
  onLetGo(done: boolean): void;
  onHover?(pointed: Pointed | null): void;
  onLock(pointed: Pointed): void;
  onRelease(): void;
  onAsk?(query: number, key: number): void;
}

interface Plan {
  down: boolean;
  depth: number;
  font: number;
  column: number;
  first?: number; // of the source's side
  total: number;
  source: Extent[];
  output: Extent[];
}

const CLICK = 6; // px that a pointer moves in a click
const [SHALLOW, DEEP] = [190, 300]; // px between the lines
const CHIP = 32; // px, height of a word
const NUMBER = 24; // px, for the bar and the per cent beside it
const BAND = 22; // px, of all the looks of a word
const SIZES = [
  { font: 18, padding: 10, gap: 10 },
  { font: 14, padding: 7, gap: 6 },
];
const NONE: ReadonlySet<number> = new Set();

export function RibbonFigure(props: RibbonFigureProps) {
  const { aligned, width, active = [], struck = NONE, pulled, pull, needs = [], free = false, onHover = () => undefined } = props;
  const say = useWords();
  const pressed = useRef<{ x: number; y: number } | null>(null);
  const dragged = useRef(false); // since it was pressed
  const plan = useMemo(() => arranged(aligned, width, free ? SHALLOW : depthOf()), [aligned, width]);
  const { down, depth, column, first = column, source, output } = plan;
  const peaks = peaksOf(aligned);
  const drawn = useMemo(() => ribbons(aligned.shares, source, output, BAND), [aligned, plan]);
  const handles = useMemo(() => {
    const best = new Map<number, { query: number; key: number | null; value: number; at: number }>();
    if (free) aligned.output.forEach((_, query) => best.set(query, { query, key: null, value: 0, at: middle(output[query] as Extent) }));
    for (const { query, key, value, from } of drawn) if (value > (best.get(query)?.value ?? 0)) best.set(query, { query, key, value, at: from });
    return [...best.values()].filter(({ query }) => !free || playable(aligned.output[query]));
  }, [drawn]);
  const held = (query: number) => pull?.word === query;
  const frameOf = (event: Event) => (event.currentTarget as Element).closest(".rg-links") as HTMLElement;
  const nearest = (event: PointerEvent): number => {
    const frame = frameOf(event).getBoundingClientRect();
    const at = down ? event.clientX - frame.left : event.clientY - frame.top;
    return source.reduce((best, extent, key) => (Math.abs(middle(extent) - at) < Math.abs(middle(source[best] as Extent) - at) ? key : best), 0);
  };
  const onHandleKey = (event: KeyboardEvent, query: number, key: number | null) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (by) props.onPull?.(query, Math.min(source.length - 1, Math.max(0, (pull?.key ?? key ?? -1) + by)));
    else if (event.key === "Enter" || event.key === " ") props.onLetGo(true);
    else if (event.key === "Escape") props.onLetGo(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (!by) frameOf(event).querySelector<HTMLElement>(`[data-word="output ${query}"]`)?.focus();
  };

  /** Drags the line of a word; where it has not moved, it was a click. */
  const draggable = (query: number, key: number | null) => ({
    onPointerDown: (event: PointerEvent) => {
      event.preventDefault(); // no text is selected on the way
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      pressed.current = { x: event.clientX, y: event.clientY };
      dragged.current = false;
    },
    onPointerMove: (event: PointerEvent) => {
      const { current: from } = pressed;
      if (from && !dragged.current && Math.hypot(event.clientX - from.x, event.clientY - from.y) > CLICK) {
        dragged.current = true;
        if (key !== null) props.onPull?.(query, key); // where it is taken
      }
      if (from ? dragged.current : held(query)) props.onPull?.(query, nearest(event));
    },
    onPointerUp: () => {
      pressed.current = null;
      if (dragged.current || held(query)) props.onLetGo(true);
    },
    onPointerCancel: () => {
      pressed.current = null;
      props.onLetGo(false);
    },
    onClick: () => {
      if (!dragged.current) props.onLock({ side: "query", index: query });
      dragged.current = false;
    },
  });

  const most = Math.max(0, ...(props.relied ?? []).map((each) => -(each?.change ?? 0)));
  const valueAt = ({ query, key }: { query: number; key: number }) => amount(aligned.values.values[query * aligned.values.width + key]!, aligned.quantity);
  /** With one word pointed at, those on the other side carry what they get from it. */
  const part = ({ side, index }: Pointed): Look => {
    const asked = active.at(-1);
    if (!asked || asked.side === side) return {};
    const at = side === "key" ? { query: asked.index, key: index } : { query: index, key: asked.index };
    const { values, width: keys } = aligned.shares;
    const share = values[at.query * keys + at.key]!;
    if (peaks && side === "key") return { number: valueAt(at), share: share / Math.max(...values.subarray(at.query * keys, (at.query + 1) * keys)) };
    return share >= 0.01 ? { number: valueAt(at), share } : {};
  };
  const sourceLook = (index: number): Look => {
    const unit = aligned.source[index] as Unit;
    const out = struck.has(index);
    const { onStrike } = props;
    return {
      ...part({ side: "key", index }),
      classes: [peaks && "rg-word--stretch", out && "rg-word--struck", pull?.key === index && "rg-word--aimed"].filter((each) => typeof each === "string"),
      attributes: onStrike ? { "aria-keyshortcuts": "x" } : {},
      after: !unit.special && !peaks && (
        <>
          <Bar change={props.relied?.[index]?.change ?? null} most={most} />
          {onStrike && (
            <button
              type="button"
              class="rg-translation__strike"
              tabIndex={-1}
              title={say(out ? "ribbons.put" : "ribbons.out", { word: unit.label })}
              aria-label={`${out ? "put back" : "strike out"} ${unit.label}`}
              onClick={() => onStrike(index)}
            >
              {out ? "↺" : "×"}
            </button>
          )}
        </>
      ),
    };
  };
  const outputLook = (index: number): Look => {
    const unit = aligned.output[index] as Unit;
    const taken = held(index) ? pull?.next : null;
    const chance = taken?.probability ?? props.chances[index] ?? 1;
    const unsure = !unit.special && chance < (props.unsureBelow ?? 0);
    return {
      ...(taken || (free && pulled.has(index)) ? { number: percent(chance) } : part({ side: "query", index })),
      ...(taken && { label: taken.label }),
      says: [...(unsure ? ["unsure"] : []), ...needs.filter((need) => need.query === index).map(({ label, change }) => `needed ${label} ${pointsOf(change)} points`)].join(", "),
      ...(unsure && { title: say("ribbons.unsure", { word: unit.title }) }),
      sure: chance,
      classes: ["rg-word--written", free && playable(unit) && "rg-word--free", unsure && "rg-word--unsure", (taken || pulled.has(index)) && "rg-word--pulled"].filter((each) => typeof each === "string"),
      attributes: { ...(props.onPull && { "aria-keyshortcuts": "p" }), ...(free && playable(unit) && draggable(index, null)) },
    };
  };

  const names = useMemo(() => ({ key: numbered(aligned.source), query: numbered(aligned.output) }), [aligned]);
  const paint = ({ query, key, value, slot }: Strand) => {
    const strong = among(active, { side: "query", index: query }) || among(active, { side: "key", index: key });
    const name = `${names.query[query]} ${names.key[key]}`; // the same in the next sentence
    if (slot === NEEDED) return { name: `needed ${name}`, opacity: !active.length || strong ? 0.9 : 0.1, look: "rg-translation__needed" };
    const opacity = !active.length ? 0.12 + 0.6 * value : strong ? 0.3 + 0.6 * value : 0.05;
    const pulledLook = { color: "var(--rg-head-1)", look: "rg-translation__pulled" };
    if (value < 0) return { name: "held", opacity: 0.9, ...pulledLook };
    return { name, cell: `${aligned.output[query]?.rows.first} ${aligned.source[key]?.first}`, opacity: held(query) ? 1 : opacity, ...(held(query) ? { color: "var(--rg-rule)" } : pulled.has(query) && pulledLook) };
  };
  const lines = useMemo(() => [...drawn, ...needLines(needs, source, output)], [drawn, needs]);
  const strands = pull ? [...lines, { query: pull.word, key: pull.key, slot: 0, value: -1, from: middle(source[pull.key] as Extent), to: middle(output[pull.word] as Extent), width: BAND }] : lines;
  const describe = (strand: Strand): [string, string] => {
    const need = strand.slot === NEEDED && needs.find(({ query, key }) => query === strand.query && key === strand.key);
    const [word, other] = [aligned.output[strand.query]?.label, aligned.source[strand.key]?.label];
    return need ? [`${word} needed ${other}`, say("said.points", { change: pointsOf(need.change), share: percent(need.looked) })] : [`${word} looked at ${other}`, valueAt(strand)];
  };
  const all = (units: readonly Unit[]): [number, number] => [0, units.length];
  return (
    <Links
      sides={[
        { side: "key", name: "source", units: aligned.source, extents: source, shown: all(aligned.source) },
        { side: "query", name: "output", units: aligned.output, extents: output, shown: all(aligned.output) },
      ]}
      down={down}
      depth={depth}
      column={column}
      first={first}
      length={plan.total}
      edge={down ? NUMBER : 0}
      font={plan.font}
      strands={strands}
      paint={paint}
      describe={describe}
      look={({ side, index }) => (side === "key" ? sourceLook(index) : outputLook(index))}
      active={active}
      locked={props.locked}
      name={({ side, index }) => names[side][index] as string}
      onHover={onHover}
      onLock={props.onLock}
      onRelease={props.onRelease}
      onAsk={({ query, key }) => props.onAsk?.(query, key)}
    >
      {peaks && <Wave peaks={peaks} tokens={aligned.trace.axes[aligned.tap.keys]?.tokens ?? []} units={aligned.source} extents={source} down={down} edge={down ? NUMBER : 0} deep={first} length={plan.total} />}
      {props.onPull &&
        handles.map(({ query, key, at: rest }) => {
          const now = held(query) ? (pull?.key as number) : key;
          const [word, looked] = [aligned.output[query]?.label, now === null ? "no word yet" : aligned.source[now]?.label];
          const at = held(query) ? middle(source[pull?.key as number] as Extent) : rest;
          const edge = (down ? NUMBER : 0) + first + (now === null ? depth : 0);
          return (
            <div
              key={names.query[query]}
              role="slider"
              class={`rg-translation__handle${held(query) ? " rg-translation__handle--held" : ""}${pulled.has(query) ? " rg-translation__handle--pulled" : ""}`}
              tabIndex={-1}
              data-handle={query}
              style={down ? { left: `${at}px`, top: `${edge}px` } : { left: `${edge}px`, top: `${at}px` }}
              title={say("ribbons.ring", { word: word ?? "" })}
              aria-label={`what ${word} looks at; arrows pull it, enter lets go`}
              aria-orientation={down ? "horizontal" : "vertical"}
              aria-valuemin={0}
              aria-valuemax={source.length - 1}
              aria-valuenow={now ?? undefined}
              aria-valuetext={`${looked}${held(query) && pull?.next ? `: ${pull.next.label}, ${percent(pull.next.probability)}` : ""}`}
              onPointerEnter={() => !pull && onHover({ side: "query", index: query })}
              onFocus={() => onHover({ side: "query", index: query })}
              onBlur={() => props.onLetGo(false)}
              {...draggable(query, key)}
              onKeyDown={(event) => onHandleKey(event, query, key)}
            />
          );
        })}
    </Links>
  );
}

/** True of a word that is drawn a line: marks and the end of the sentence are not. */
export const playable = (word: Unit | undefined): boolean => word !== undefined && !word.special && /[\p{L}\p{N}]/u.test(word.label);

/** A name for each word that it keeps in a sentence of other words. */
function numbered(all: readonly Unit[]): string[] {
  const seen = new Map<string, number>();
  return all.map(({ label }) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return `${label} ${count}`;
  });
}

/** A bar as long as the output's loss without the word, the largest of all being the whole width. */
function Bar({ change, most }: { change: number | null; most: number }) {
  if (change === null || most <= 0) return null;
  const part = Math.max(0, -change) / most;
  const title = change < 0 ? `without it this translation is ${times(-change)} times less likely` : "without it this translation is as likely";
  return <span class="rg-track rg-translation__reliance" title={title} style={{ "--part": `${100 * part}%`, "--line": "var(--rg-head-1)" }} />;
}

/** e to the nats, to two digits or as a power of ten. */
function times(nats: number): string {
  const power = Math.exp(nats);
  return power < 1e4 ? Number(power.toPrecision(2)).toLocaleString("en") : `10^${Math.round(nats / Math.LN10)}`;
}

/** Two lines in the largest type that fits the width, or two columns from the first to the last line; a sound is as long as they are. */
function arranged(aligned: Aligned, width: number, depth: number): Plan {
  const { source, output } = aligned;
  const peaks = peaksOf(aligned);
  for (const { font, padding, gap } of SIZES) {
    const type = fontOf(font, 600);
    const wide = (label: string) => Math.max(30, Math.ceil(textWidth(label, type)) + 2 * padding);
    const [above, below] = [peaks ? [] : source.map((unit) => wide(unit.label)), output.map((unit) => wide(unit.label))];
    const natural = Math.max(length(above, gap), length(below, gap));
    if (natural > width) continue;
    if (peaks) return { down: true, depth, font, column: CHIP, first: WAVE, total: width, source: spread(source, peaks, width), output: linedUp(below, gap, width, Infinity) };
    const total = Math.min(width, natural + 8 * Math.max(above.length, below.length));
    return { down: true, depth, font, column: CHIP, total, source: linedUp(above, gap, total), output: linedUp(below, gap, total) };
  }
  const column = Math.min(200, Math.floor(width * 0.36));
  const [left, right] = [peaks ? [] : source.map(() => ROW), output.map(() => ROW)];
  const total = Math.max(length(left, 4), length(right, 4));
  const first = peaks ? Math.min(WAVE, column) : column;
  return { down: false, depth: Math.min(280, width - first - column), font: 14, column, first, total, source: peaks ? spread(source, peaks, total) : linedUp(left, 4, total, Infinity), output: linedUp(right, 4, total, Infinity) };
}

/** Pixels between the lines: more in a taller page. */
function depthOf(): number {
  return Math.min(DEEP, Math.max(SHALLOW, 0.3 * (document.querySelector(".regard")?.clientHeight ?? 0)));
}

let canvas: CanvasRenderingContext2D | null = null;

function textWidth(text: string, font: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 8;
  canvas.font = font;
  return canvas.measureText(text).width;
}

let family = ""; // asked for once: after a change of the page, the answer waits for all of its styles

/** The page's font in a size and weight, as `textWidth` takes it. */
function fontOf(size: number, weight = 400): string {
  family ||= getComputedStyle(document.querySelector(".regard") ?? document.body).fontFamily;
  return `${weight} ${size}px ${family}`;
}
