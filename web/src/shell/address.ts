/** Keeps the address bar and the state the same, both ways. */
import { batch, effect, type Signal } from "@preact/signals";
import type { AxisInfo, TraceInfo, TraceRequest } from "../source";
import { ask, attempt, firstTap, found, lookAt, made, open, settle, type State } from "../state";
import { chipsOf, ordered, pullsOf, sameWords } from "../off/parts";
import { ofDay } from "../play/game";
import { asks, split, telling } from "../said/said";
import { fitsWhole, WHOLE } from "../weights/matrix";
import { markOf } from "../weights/units";
import { DEFAULTS, deliberate, FIELDS, linked, read, write, type Address, type Fields, type Named } from "../url";
import { sayIn } from "../words/words";

const SETTLED = 250; // ms without a pan or zoom until the address is rewritten

/** The state as an address; only the trace's name, never the trace. */
export function addressOf(state: State): Address {
  const { value: trace } = state.trace;
  const { value: other } = state.other;
  return {
    ...fieldsOf((name) => state[name].value),
    trace: trace && named(state, trace),
    other: other && {
      trace: other.trace.id === trace?.id ? null : named(state, other.trace),
      tap: other.tap.name,
      head: other.head,
    },
    landing: false,
    learn: state.learn.value,
  };
}

const NAMES = Object.keys(FIELDS) as (keyof Fields)[];
const OF_TRACE: (keyof Fields)[] = ["tapName", "head", "heads", "viewport", "focus", "locked", "step", "drawn"]; // whether they can be so, the trace says

function fieldsOf(value: (name: keyof Fields) => unknown): Fields {
  return Object.fromEntries(NAMES.map((name) => [name, value(name)])) as unknown as Fields;
}

/** By text where it was asked for by text and asking again would give the same, else by id: a trace
 * that the server was given may be of a model that it cannot run. */
function named(state: State, trace: TraceInfo): Named {
  const request = state.asked.get(trace.id);
  return request ? { ...request, id: trace.id } : { model: trace.model, text: "", id: trace.id };
}

/** Makes the state what an address says; a trace is asked for only when it is another one. `landed` may say more of it. */
export async function goTo(state: State, address: Address, landed?: (state: State, trace: TraceInfo) => void): Promise<void> {
  state.learn.value = state.source.abilities.explain ? address.learn : null;
  const set = (names: (keyof Fields)[]) => {
    for (const name of names) (state[name] as Signal<unknown>).value = address[name];
  };
  if (state.learn.value) return set(["theme", "language"]); // what is looked at besides stays as it was, to come back to
  batch(() => {
    set(NAMES.filter((name) => !OF_TRACE.includes(name)));
    if (!state.trace.value) set(["tapName", "head", "viewport"]); // known before the trace comes, so that no other map is drawn first
  });
  const before = state.trace.value && named(state, state.trace.value);
  const arrive = (trace: TraceInfo) => {
    const tap = trace.taps.find((each) => each.name === address.tapName) ?? state.tap.value;
    set(OF_TRACE);
    if (tap) {
      state.tapName.value = tap.name;
      settle(state, tap);
    }
    landed?.(state, trace);
  };
  if (address.trace && !same(before, address.trace)) {
    if (address.trace.text) await ask(state, requestOf(address.trace), { arrive });
    else await open(state, address.trace.id);
  }
  const { value: trace } = state.trace;
  if (!trace) return;
  batch(() => arrive(trace));
  await goToOther(state, address, trace);
}

async function goToOther(state: State, address: Address, trace: TraceInfo): Promise<void> {
  if (!address.other) {
    state.other.value = null;
    return;
  }
  const { trace: wanted, tap: name, head } = address.other;
  const other = wanted ? await attempt(state, () => (wanted.text ? made(state, requestOf(wanted)) : found(state, wanted.id))) : trace;
  const tap = other?.taps.find((each) => each.name === name);
  if (state.trace.value === trace && other && tap) state.other.value = { trace: other, tap, head };
}

function requestOf({ id: _, ...request }: Named): TraceRequest {
  return request;
}

function same(one: Named | null, other: Named): boolean {
  if (!one) return false;
  if (!linked(one) || !linked(other)) return one.id === other.id;
  const said = (trace: Named) => write({ ...DEFAULTS, trace });
  return said(one) === said(other);
}

/** Writes each deliberate change as a step of the history and the rest in place, and follows "back".
 * Returns what stops it. */
export function follow(state: State, window: Window): () => void {
  let written: Address | null = null;
  let going = 0; // how many times we are on the way to an address, whose changes are no news
  let timer = 0;
  let typed = false; // a text that is being written is one step

  const put = (address: Address, step: boolean) => {
    const url = `${window.location.pathname}${write(address) ? `?${write(address)}` : ""}`;
    if (step) window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
    written = address;
  };
  const stop = effect(() => {
    const address = addressOf(state);
    window.clearTimeout(timer);
    if (going || !(address.trace || address.learn)) return;
    if (!written) put(address, false); // the page's own choices are not a step to go back from
    else if (write(address) === write(written)) return;
    else if (deliberate(written, address)) {
      put(address, !(typed && state.typing.peek()));
      typed = state.typing.peek();
    } else timer = window.setTimeout(() => put(address, false), SETTLED);
  });
  const back = async () => {
    going += 1;
    state.typing.value = false;
    const address = read(window.location.search);
    await goTo(state, address);
    going -= 1;
    written = addressOf(state);
  };
  window.addEventListener("popstate", back);
  return () => {
    stop();
    window.clearTimeout(timer);
    window.removeEventListener("popstate", back);
  };
}

/** The first thing to see: what the address names, else what the server was started with, else an example. */
export async function begin(state: State, address: Address): Promise<void> {
  state.theme.value = address.theme;
  await attempt(state, async () => {
    const models = state.source.models().then((found) => (state.models.value = found));
    const { trace: named } = address;
    if (named && !named.id && !(named.text && named.model)) {
      const [first, ...more] = await models; // a link may leave out the model, or the text
      const found = [first, ...more].find((each) => each?.name === named.model) ?? first;
      address = { ...address, trace: { ...named, model: named.model || (first?.name ?? ""), text: named.text || (found?.example ?? "") } };
    }
    if (address.trace || (address.learn && state.source.abilities.explain)) {
      await Promise.all([models, address.landing ? land(state, address) : goTo(state, address)]); // what the address names waits for no list
      return;
    }
    const [traces] = await Promise.all([state.source.traces(), models]);
    const listed = traces.find(({ pinned = true }) => pinned);
    const [first] = state.models.value; // one that was named on the command line comes first
    const model = first?.example ? first : null;
    if (listed) {
      const { id, request } = listed;
      const trace: Named = request ? { ...request, id } : { id, model: listed.model, text: "" };
      await (address.landing ? land : goTo)(state, { ...address, trace });
    } else if (model && state.source.abilities.trace) {
      const text = address.drawn ? ofDay(new Date()) : model.example;
      await land(state, { ...address, trace: { model: model.name, text, id: "" } });
    }
  });
  state.begun.value = true;
}

/** Shows a trace in the view that suits it, at a head that says something. */
async function land(state: State, address: Address): Promise<void> {
  await goTo(state, address, turnTo);
  await turnToTelling(state);
}

/** Looks into a text; in a model of another kind, at what suits that one. Words that are struck out stay so in another
 * model; what else was changed is its own, and said to be left. */
export async function lookInto(state: State, request: TraceRequest): Promise<void> {
  const { value: before } = state.trace;
  const { without = [], looks = [], forced_beginning } = state.request.value ?? {};
  const other = before?.text === request.text && before.model !== request.model;
  let struck = new Map<string, string[]>();
  const instead = ({ axes, can_rewrite }: TraceInfo) => {
    if (other && can_rewrite) struck = sameWords(without, before.axes, axes);
    return struck.size ? { ...request, without: ordered([...struck.values()].flat()) } : null;
  };
  await ask(state, request, { instead });
  const { value: trace } = state.trace;
  if (!trace || !before || trace === before) return;
  if (before.task !== trace.task) {
    batch(() => turnTo(state, trace));
    await turnToTelling(state);
  }
  const say = sayIn(state.language.value);
  const left = [...chipsOf(say, without.filter((name) => !struck.has(name)), before), ...pullsOf(say, looks, before)];
  const parts = [...left.map(({ label }) => label), ...(forced_beginning && !looks.length ? [say("steps.forced")] : [])];
  if (other && parts.length) state.error.value = say("changed.left", { model: before.model, parts: parts.join("; ") });
}

function turnTo(state: State, trace: TraceInfo): void {
  const first = landing(trace);
  state.tapName.value = firstTap(trace)?.name ?? "";
  if (first.view) state.view.value = first.view;
  if (first.head !== undefined) state.head.value = first.head;
  if (first.group) state.group.value = first.group;
}

const MOST_LAYERS = 48;

/** The view for a trace: a translator's words, or those of a sound, are joined by ribbons, of the mean over heads; an image's patches have it too; letters are put together as words. */
export function landing({ task, taps, axes }: Pick<TraceInfo, "task" | "taps" | "axes">): Partial<Address> {
  if (task === "transcription" || task === "vision") return { view: "sentence", head: "mean" };
  if (!taps.every(fitsWhole)) return {};
  const [axis] = Object.values(axes);
  return { view: "sentence", ...(axis?.words && markOf(axis.tokens) === "letters" && { group: "word" as const }), ...(task === "translation" && { head: "mean" as const }) };
}

/** Turns to the head that shows best what most of them look at, where there is no cross-attention to begin with. */
async function turnToTelling(state: State): Promise<void> {
  const { value: trace } = state.trace;
  const first = trace && firstTap(trace);
  if (!trace || !first || first.kind === "cross" || trace.task === "vision" || !fitsWhole(first)) return;
  const layers = trace.taps.filter((tap) => tap.side === first.side && tap.kind === first.kind);
  if (layers.length > MOST_LAYERS) return;
  const axis = trace.axes[first.queries] as AxisInfo;
  const [words, keys] = [asks(axis, trace.generation?.axis === first.queries), split(axis)];
  const pictures = await Promise.all(layers.map((tap) => state.source.thumbnails(trace.id, tap.name, WHOLE)));
  const heads = layers.flatMap((tap, at) => {
    const { height, width, values } = pictures[at] as (typeof pictures)[number];
    return Array.from({ length: tap.heads }, (_, head) => ({ tap, head, height, width, values: values.subarray(head * height * width, (head + 1) * height * width) }));
  });
  const best = heads[telling(words, keys, heads, true)?.map ?? -1];
  if (best && state.trace.value === trace) lookAt(state, best.tap, best.head);
}
