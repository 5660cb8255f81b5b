/** State of the page: one set of signals that every view reads and the address bar keeps. */
import { batch, computed, signal, type Signal } from "@preact/signals";
import type { Learning } from "./learn/address";
import { lookOf } from "./off/parts";
import type { Asked } from "./said/said";
import type { Chosen } from "./shell/rail/Options";
import type { Need } from "./translation/needed";
import { DEFAULTS, FIELDS, type Fields } from "./url";
import type {
  Ablation,
  AblationRequest,
  Head,
  ModelInfo,
  Source,
  TapInfo,
  TraceInfo,
  TraceRequest,
} from "./source";

/** Distance from the sentence: its words with lines between them, or every weight. */
export type View = "sentence" | "map";
/** What the drawer is of: the numbers behind a cell; a word, as it was written; why it was. "": it is closed. */
export type Face = "" | "cell" | "word" | "why";
export type Scale = "auto" | "linear" | "log" | "row";
/** A word of the output is looked at where it is predicted, or one step later, where it is read. */
export type Aligned = "output" | "input";
export type Pieces = "word" | "token";
export type Theme = "system" | "light" | "dark";
/** The map's window in positions: the top left corner, and how many columns the width shows. */
export interface Viewport {
  row: number;
  column: number;
  columns: number;
}
export interface Position {
  query: number;
  key: number;
}
/** A map: a head of a layer of a trace. */
export interface Pane {
  trace: TraceInfo;
  tap: TapInfo;
  head: Head;
}

/** Everything one mounted page knows. A notebook may show several, so nothing here is global. */
export function createState(source: Source) {
  const trace = signal<TraceInfo | null>(null);
  const names = Object.keys(FIELDS) as (keyof Fields)[];
  const fields = Object.fromEntries(names.map((name) => [name, signal(DEFAULTS[name])])) as { [K in keyof Fields]: Signal<Fields[K]> };
  const { theme, tapName } = fields;
  const systemDark = signal(false); // what the system asks for
  const state = {
    ...fields,
    source,
    models: signal<ModelInfo[]>([]),
    begun: signal(false), // the models are known, and the first text is there if there is one
    trace,
    request: signal<TraceRequest | null>(null), // what `trace` was asked with, null where only its id is known
    asked: new Map<string, TraceRequest>(), // what each trace made on this page was asked with, by its id
    draft: { model: signal(""), text: signal(""), options: signal<Chosen>({}) }, // what stands in the fields
    typing: signal(false), // the text is being written, and looked into meanwhile
    busy: signal(false), // a trace is being made
    asking: signal<TraceRequest | null>(null), // of what text
    cancel: signal<(() => void) | null>(null), // stops it
    unanswered: signal<TraceRequest | null>(null), // what the server went away over
    error: signal<string | null>(null),
    tap: computed<TapInfo | null>(() => trace.value?.taps.find((each) => each.name === tapName.value) ?? null),
    ends: signal<[number, number] | null>(null), // of the color scale, when dragged
    home: signal<[number, number] | null>(null), // what "reset" brings the ends back to; null: those of the data
    painted: signal(false), // the map has shown something of its trace
    hover: signal<Position | null>(null),
    word: signal<(Asked & { axis: string }) | null>(null), // the word in question, of which the heads are asked
    changed: signal<(Asked & { axis: string }) | null>(null), // the word in question as the reader changed something, which stays so
    toward: signal<number | null>(null), // the position that the heads are asked for too
    needs: signal<readonly Need[]>([]), // of the translation's words
    about: signal<Position | null>(null), // the cell that is spoken of, where a view has no cells to hover over
    ablation: signal<Ablation | null>(null),
    ablated: signal<AblationRequest | null>(null), // what `ablation` answers
    ablating: signal(false),
    other: signal<Pane | null>(null), // a map that was pinned, beside which the present one is shown
    otherViewport: signal<Viewport | null>(null), // of a second map that has another shape
    systemDark,
    dark: computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark")),
    help: signal(false), // the list of keys is open
    learn: signal<Learning | null>(null), // the lesson that is open, instead of a trace
  };
  return state;
}

export type State = ReturnType<typeof createState>;

/** True while a text is being looked into that is not still being written: the picture is of the one before. */
export const waiting = ({ busy, typing }: State) => busy.value && !typing.value;

/** The map a reader most likely wants first: the last layer's cross-attention, else self-attention. */
export function firstTap(trace: TraceInfo): TapInfo | null {
  const of = (side: string, kind: string) => trace.taps.filter((tap) => tap.side === side && tap.kind === kind);
  const taps = [of("decoder", "cross"), of("decoder", "self"), of("encoder", "self")].find((each) => each.length);
  return taps?.at(-1) ?? null;
}

/** Shows a trace, and forgets what cannot be true of it. */
export function show(state: State, trace: TraceInfo, request: TraceRequest | null): void {
  batch(() => {
    const before = state.tap.value;
    if (state.trace.value?.id !== trace.id) {
      state.painted.value = false;
      state.word.value = null;
      if (state.drawn.value) state.drawn.value = [];
    }
    state.trace.value = trace;
    state.request.value = request;
    state.error.value = null;
    state.ablation.value = null;
    state.hover.value = null;
    state.about.value = null;
    state.needs.value = [];
    state.changed.value = null;
    state.toward.value = null;
    if (!state.tap.value) state.tapName.value = firstTap(trace)?.name ?? "";
    const tap = state.tap.value;
    if (!tap) return;
    if (before && (before.rows !== tap.rows || before.columns !== tap.columns)) {
      state.viewport.value = null;
      state.focus.value = null;
      state.locked.value = [];
      state.step.value = null;
    }
    settle(state, tap);
  });
}

/** Turns to another layer or head; the focus stays where the new map has such a cell. */
export function lookAt(state: State, tap: TapInfo, head: Head): void {
  batch(() => {
    const before = state.tap.value;
    state.tapName.value = tap.name;
    state.head.value = head;
    if (before?.queries !== tap.queries || before?.keys !== tap.keys) {
      state.viewport.value = null;
      state.focus.value = null;
      state.locked.value = [];
    }
    if (before?.name !== tap.name || state.head.value !== head) state.ends.value = null;
    settle(state, tap);
  });
}

/** What a layer does not have, or a trace has no more, is not looked at. */
export function settle(state: State, tap: TapInfo): void {
  const there = (head: Head | null) => head === null || head === "mean" || head < tap.heads;
  if (!there(state.head.value)) state.head.value = 0;
  if (!state.heads.value.every(there) || !state.heads.value.includes(state.head.value)) state.heads.value = [];
  if (!tap.quantities.includes(state.quantity.value)) state.quantity.value = "weight";
  const { group, focus, locked } = state;
  const axis = state.trace.value?.axes[tap.queries];
  if ((group.value === "word" && !axis?.words) || (group.value === "sentence" && !axis?.sentences)) group.value = "token";
  if (focus.value && (focus.value.query >= tap.rows || focus.value.key >= tap.columns)) focus.value = null;
  if (locked.value.some((query) => query >= tap.rows)) locked.value = locked.value.filter((query) => query < tap.rows);
  const steps = state.trace.value?.generation?.steps.length ?? 0;
  if ((state.step.value ?? 0) >= steps) state.step.value = null;
}

interface Arrival {
  instead?: (trace: TraceInfo) => TraceRequest | null;
  arrive?: (trace: TraceInfo) => void;
}

/** Traces a text and shows it; what goes wrong is said on the page.
 * `instead`: what is asked for once it is known. `arrive`: a part of showing it, so that nothing is drawn twice. */
export async function ask(state: State, request: TraceRequest, { instead, arrive }: Arrival = {}): Promise<void> {
  if (!state.trace.value) state.request.value = request; // to try again with, where it fails
  const stop = new AbortController();
  state.cancel.value?.(); // the text before
  batch(() => {
    state.asking.value = request;
    state.unanswered.value = null;
    state.cancel.value = state.source.working || state.source.written ? () => stop.abort() : null;
  });
  const work = async () => {
    const first = await made(state, request, stop.signal);
    const other = instead?.(first);
    const trace = other ? await made(state, other, stop.signal) : first;
    batch(() => {
      show(state, trace, other ?? request);
      arrive?.(trace);
    });
  };
  await during(state, work, () => state.asking.value === request);
  if (state.source.connection?.lost.value) state.unanswered.value = request;
  if (state.asking.value === request)
    batch(() => {
      state.asking.value = null;
      state.cancel.value = null;
    });
}

/** A trace of the request, which is remembered: a link to it says the request. */
export async function made(state: State, request: TraceRequest, signal?: AbortSignal): Promise<TraceInfo> {
  const trace = await state.source.trace(request, signal);
  state.asked.set(trace.id, request);
  return trace;
}

/** The request behind what is shown, with nothing switched off, pulled or forced but what `changes` has, which is of
 * the best hypothesis; null where it cannot be asked again. */
export function restored(state: State, changes?: Pick<TraceRequest, "without" | "looks" | "forced_beginning" | "num_beams">): TraceRequest | null {
  const { value: trace } = state.trace;
  const request = state.request.value ?? (trace && { model: trace.model, text: trace.text });
  if (!request || !state.source.abilities.trace || request.target) return null;
  const { without: _, looks: __, forced_beginning: ___, hypothesis, ...whole } = request;
  if (!changes) return hypothesis === undefined ? whole : { ...whole, hypothesis };
  return { ...whole, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => !Array.isArray(value) || value.length)) };
}

/** Shows what the model writes by itself. */
export async function restore(state: State): Promise<void> {
  const request = restored(state);
  if (request) await ask(state, request);
}

/** Puts a token where the model wrote another one, after the same tokens before it; it goes on from there. */
export async function force(state: State, step: number, token: number): Promise<void> {
  const before = state.trace.value?.generation?.steps.slice(0, step).map((each) => each.id ?? -1) ?? [];
  const { without = [], looks = [] } = state.request.value ?? {};
  const earlier = looks.filter((name) => (lookOf(name)?.query ?? 0) < step);
  const request = restored(state, { without, looks: earlier, forced_beginning: [...before, token] });
  if (!request || before.includes(-1)) return;
  await ask(state, request);
  if (step < (state.trace.value?.generation?.steps.length ?? 0)) state.step.value = step;
}

/** Puts a model into the list. */
export async function openModel(state: State, name: string): Promise<ModelInfo> {
  const model = await state.source.openModel(name);
  state.models.value = [...state.models.value.filter((each) => each.name !== model.name), model];
  return model;
}

/** Shows a trace that was saved in a file. */
export async function openFile(state: State, file: Blob): Promise<void> {
  await during(state, async () => show(state, await state.source.openFile(file), null));
}

/** Shows a trace that is already there. */
export async function open(state: State, id: string): Promise<void> {
  await during(state, async () => show(state, await found(state, id), null));
}

/** A trace that is there; where its text asks for it again, a link to it says the text. */
export async function found(state: State, id: string): Promise<TraceInfo> {
  const trace = await state.source.opened(id);
  if (trace.by_text && state.source.abilities.trace) state.asked.set(trace.id, { model: trace.model, text: trace.text });
  return trace;
}

async function during(state: State, work: () => Promise<void>, isLast = () => true): Promise<void> {
  state.busy.value = true;
  state.error.value = null;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) state.error.value = sentence(error);
  } finally {
    if (isLast()) state.busy.value = false;
  }
}

/** The output step whose probability an ablation shows: the one that this query predicts, else the
 * chosen one; null asks for the one that changes most. */
export function stepOf(state: State, tap: TapInfo, query: number): number | null {
  const trace = state.trace.value;
  const generation = trace?.generation;
  if (!generation) return tap.side === "decoder" ? query : null;
  const step = query - (trace.axes[generation.axis]?.prompt ?? 0) + 1;
  const predicts = tap.queries === generation.axis && step >= 0 && step < generation.steps.length;
  return predicts ? step : state.step.value;
}

/** What an ablation at a cell switches off. */
export function ablationAt(state: State, what: AblationRequest["what"], at: Position): AblationRequest | null {
  const { value: tap } = state.tap;
  const head = state.head.value === "mean" ? 0 : state.head.value;
  return tap && { what, tap: tap.name, head, ...at, step: stepOf(state, tap, at.query) };
}

/** Measures what the output loses without it; the answer is kept if it still `holds` once `writing` is done. */
export async function ablate(state: State, request: AblationRequest | null, writing?: Promise<void>, holds?: () => boolean): Promise<void> {
  const { value: trace } = state.trace;
  if (!trace || !request || !trace.can_ablate || !state.source.abilities.ablate) return;
  state.ablating.value = true;
  try {
    const answer = await state.source.ablate(trace.id, request);
    await writing;
    if (holds?.() ?? state.trace.value === trace)
      batch(() => {
        state.ablation.value = answer;
        state.ablated.value = request;
      });
  } catch (error) {
    await writing;
    state.error.value = sentence(error);
  } finally {
    state.ablating.value = false;
  }
}

/** Does something; what goes wrong is said on the page, and nothing comes of it. */
export async function attempt<Result>(state: Pick<State, "error">, work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    state.error.value = sentence(error);
    return null;
  }
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
