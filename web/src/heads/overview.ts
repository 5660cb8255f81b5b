/** The pictures and averages of every layer's heads, asked for when a layer comes into sight. */
import { effect, signal, type Signal } from "@preact/signals";
import type { Source, Summary, TapInfo, Thumbnails } from "../source";
import type { State } from "../state";
import { fitsWhole, WHOLE } from "../weights/matrix";

export interface Layer {
  summary: Summary;
  thumbnails: Thumbnails;
}
export type Answer = Layer | null; // null: not here

const SIZE = 48; // of the pictures of a long text; those of a short one are its maps
// Milliseconds that the map's first picture is waited for, and what any other view is given.
const PATIENCE = 2000;
const HEAD_START = 300;

export type Overview = ReturnType<typeof overview>;

/** Wait until the view in the middle has its first picture. */
export function pictured(state: State): Promise<void> {
  return new Promise((done) => {
    const stop = effect(() => {
      if (state.painted.value) done();
    });
    setTimeout(() => {
      stop();
      done();
    }, state.view.peek() === "map" ? PATIENCE : HEAD_START);
  });
}

const shared = new WeakMap<State, { of: string; overview: Overview }>();

/** The overview of the trace that a page shows, for all of its parts; a new one when the server is back. */
export function overviewOf(state: State, id: string): Overview {
  const known = shared.get(state);
  const of = `${id} ${state.source.connection?.returns.peek() ?? 0}`;
  if (known?.of === of) return known.overview;
  known?.overview.close();
  const made = overview(state.source, id, pictured(state));
  shared.set(state, { of, overview: made });
  return made;
}

/** Asks one layer at a time, beginning when `begin` says so. */
export function overview(source: Source, id: string, begin: Promise<void> = Promise.resolve()) {
  const answers = new Map<string, Signal<Answer>>();
  const asked = new Set<string>();
  const abort = new AbortController();
  let before = begin;

  const of = (tap: string) => {
    const found = answers.get(tap) ?? signal<Answer>(null);
    answers.set(tap, found);
    return found;
  };
  const answer = async (tap: TapInfo) => {
    const asked = [source.summary(id, tap.name, abort.signal), source.thumbnails(id, tap.name, fitsWhole(tap) ? WHOLE : SIZE, abort.signal)] as const;
    const [summary, thumbnails] = await Promise.all(asked);
    of(tap.name).value = { summary, thumbnails };
  };
  return {
    of,
    want(tap: TapInfo) {
      if (asked.has(tap.name)) return;
      asked.add(tap.name);
      before = before.then(() => answer(tap)).catch(() => undefined); // its row stays empty
    },
    close: () => abort.abort(),
  };
}
