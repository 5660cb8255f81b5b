/** What is being looked at: one set of signals that every view reads and the address bar keeps. */
import { batch, computed, signal } from "@preact/signals";
import type { Learning } from "./learn/address";
import type {
  Ablation,
  AblationRequest,
  Group,
  Head,
  ModelInfo,
  Quantity,
  Reduce,
  Source,
  TapInfo,
  TraceInfo,
  TraceRequest,
} from "./source";

export type View = "map" | "flow" | "generation" | "translation" | "compare";
export type Scale = "linear" | "log" | "row" | "sink";
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
/** The second pane of a comparison: what differs from the first. */
export interface Other {
  trace: TraceInfo;
  tap: string;
  head: Head;
}

/** Everything one mounted page knows. A notebook may show several, so nothing here is global. */
export function createState(source: Source) {
  const models = signal<ModelInfo[]>([]);
  const trace = signal<TraceInfo | null>(null);
  const tapName = signal("");
  const theme = signal<Theme>("system");
  const systemDark = signal(false); // what the system asks for
  const state = {
    source,
    models,
    trace,
    request: signal<TraceRequest | null>(null), // what `trace` was asked with, null where only its id is known
    asked: new Map<string, TraceRequest>(), // what each trace made on this page was asked with, by its id
    busy: signal(false), // a trace is being made
    error: signal<string | null>(null),
    view: signal<View>("map"),
    tapName,
    tap: computed<TapInfo | null>(() => trace.value?.taps.find((each) => each.name === tapName.value) ?? null),
    head: signal<Head>(0),
    quantity: signal<Quantity>("weight"),
    reduce: signal<Reduce>("max"),
    group: signal<Group>("token"),
    scale: signal<Scale>("linear"),
    ends: signal<[number, number] | null>(null), // of the color scale, when dragged
    home: signal<[number, number] | null>(null), // what "reset" brings the ends back to; null: those of the data
    painted: signal(false), // the map has shown something of its trace
    viewport: signal<Viewport | null>(null), // null: the whole map fits
    hover: signal<Position | null>(null),
    about: signal<Position | null>(null), // the cell that is spoken of, where a view has no cells to hover over
    focus: signal<Position | null>(null), // the cell that the keyboard moves and the drawer shows
    locked: signal<number[]>([]), // queries whose lines stay, in the flow
    step: signal<number | null>(null), // of the generation
    heads: signal<(Head | null)[]>([]), // of the flow, each in the color of its place; none: `head` alone
    aligned: signal<Aligned>("output"), // of the translation
    pieces: signal<Pieces>("word"), // of the translation
    difference: signal(false), // of the comparison, instead of both maps
    drawer: signal(false),
    ablation: signal<Ablation | null>(null),
    ablated: signal<AblationRequest | null>(null), // what `ablation` answers
    ablating: signal(false),
    other: signal<Other | null>(null),
    theme,
    systemDark,
    dark: computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark")),
    help: signal(false), // the list of keys is open
    learn: signal<Learning | null>(null), // the lesson that is open, instead of a trace
  };
  return state;
}

export type State = ReturnType<typeof createState>;

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
    if (state.trace.value?.id !== trace.id) state.painted.value = false;
    state.trace.value = trace;
    state.request.value = request;
    state.error.value = null;
    state.ablation.value = null;
    state.hover.value = null;
    state.about.value = null;
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

function settle(state: State, tap: TapInfo): void {
  const head = state.head.value;
  if (head !== "mean" && head >= tap.heads) state.head.value = 0;
  if (!tap.quantities.includes(state.quantity.value)) state.quantity.value = "weight";
  const axis = state.trace.value?.axes[tap.queries];
  if (state.group.value === "word" && !axis?.words) state.group.value = "token";
  if (state.group.value === "sentence" && !axis?.sentences) state.group.value = "token";
  const focus = state.focus.value;
  if (focus && (focus.query >= tap.rows || focus.key >= tap.columns)) state.focus.value = null;
  const steps = state.trace.value?.generation?.steps.length ?? 0;
  if ((state.step.value ?? 0) >= steps) state.step.value = null;
}

/** Traces a text and shows it; what goes wrong is said on the page. */
export async function ask(state: State, request: TraceRequest): Promise<void> {
  if (!state.trace.value) state.request.value = request; // to try again with, where it fails
  await during(state, async () => show(state, await made(state, request), request));
}

/** A trace of the request, which is remembered: a link to it says the request. */
export async function made(state: State, request: TraceRequest, signal?: AbortSignal): Promise<TraceInfo> {
  const trace = await state.source.trace(request, signal);
  state.asked.set(trace.id, request);
  return trace;
}

/** The request behind what is shown, with nothing struck out or forced; null where it cannot be asked again. */
export function restored(state: State): TraceRequest | null {
  const { value: trace } = state.trace;
  const request = state.request.value ?? (trace && { model: trace.model, text: trace.text });
  if (!request || !state.source.abilities.trace || request.target) return null;
  const { hidden: _, forced_beginning: __, ...whole } = request;
  return whole;
}

/** Shows what the model writes by itself. */
export async function restore(state: State): Promise<void> {
  const request = restored(state);
  if (request) await ask(state, request);
}

/** Strikes these positions of the source out, and no others: the output is written without them. */
export async function strike(state: State, hidden: number[]): Promise<void> {
  const request = restored(state);
  if (!request) return;
  const { hypothesis: _, ...rest } = request;
  await ask(state, hidden.length ? { ...rest, hidden } : rest);
}

/** Puts a token where the model wrote another one, after the same tokens before it; it goes on from there. */
export async function force(state: State, step: number, token: number): Promise<void> {
  const request = restored(state);
  const before = state.trace.value?.generation?.steps.slice(0, step).map((each) => each.id ?? -1) ?? [];
  if (!request || before.includes(-1)) return;
  const { hypothesis: _, ...rest } = request;
  const hidden = state.request.value?.hidden ?? [];
  await ask(state, { ...rest, ...(hidden.length && { hidden }), forced_beginning: [...before, token] });
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
  await during(state, async () => show(state, await state.source.opened(id), null));
}

async function during(state: State, work: () => Promise<void>): Promise<void> {
  state.busy.value = true;
  state.error.value = null;
  try {
    await work();
  } catch (error) {
    state.error.value = sentence(error);
  } finally {
    state.busy.value = false;
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

/** Switches an edge, a head or a token off, and keeps the change in the output's probability. */
export async function ablate(state: State, what: AblationRequest["what"], at: Position): Promise<void> {
  const { value: trace } = state.trace;
  const { value: tap } = state.tap;
  if (!trace || !tap || !trace.can_ablate || !state.source.abilities.ablate) return;
  const head = state.head.value === "mean" ? 0 : state.head.value;
  const request = { what, tap: tap.name, head, ...at, step: stepOf(state, tap, at.query) };
  state.ablating.value = true;
  try {
    const answer = await state.source.ablate(trace.id, request);
    if (state.trace.value === trace)
      batch(() => {
        state.ablation.value = answer;
        state.ablated.value = request;
      });
  } catch (error) {
    state.error.value = sentence(error);
  } finally {
    state.ablating.value = false;
  }
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
