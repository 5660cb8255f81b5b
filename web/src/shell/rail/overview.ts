/** The pictures and averages of every layer's heads, asked for when a layer comes into sight. */
import { effect, signal, type Signal } from "@preact/signals";
import type { Source, Summary, Thumbnails } from "../../source";
import { sentence, type State } from "../../state";

export interface Layer {
  summary: Summary;
  thumbnails: Thumbnails;
}
export type Answer = { layer: Layer } | { error: string } | null; // null: not here yet

export const SIZE = 48;
// Milliseconds that the map's first picture is waited for, and what any other view is given.
const PATIENCE = 2000;
const HEAD_START = 300;

export interface Overview {
  of(tap: string): Signal<Answer>;
  want(tap: string): void;
  close(): void;
}

/** Wait until the view in the middle has its first picture. */
export function pictured(state: State): Promise<void> {
  return new Promise((done) => {
    const stop = effect(() => {
      if (state.painted.value) done();
    });
    setTimeout(() => {
      stop();
      done();
    }, { map: PATIENCE, heads: 0 }[state.view.peek() as string] ?? HEAD_START);
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
export function overview(source: Source, id: string, begin: Promise<void> = Promise.resolve()): Overview {
  const answers = new Map<string, Signal<Answer>>();
  const asked = new Set<string>();
  const waiting: string[] = [];
  const abort = new AbortController();
  let busy = false;

  const of = (tap: string) => {
    const found = answers.get(tap) ?? signal<Answer>(null);
    answers.set(tap, found);
    return found;
  };
  const next = async (): Promise<void> => {
    const tap = busy ? undefined : waiting.shift();
    if (!tap) return;
    busy = true;
    await begin;
    try {
      const [summary, thumbnails] = await Promise.all([
        source.summary(id, tap, abort.signal),
        source.thumbnails(id, tap, SIZE, abort.signal),
      ]);
      of(tap).value = { layer: { summary, thumbnails } };
    } catch (error) {
      if (!abort.signal.aborted) of(tap).value = { error: sentence(error) };
    }
    busy = false;
    return next();
  };
  return {
    of,
    want(tap) {
      if (asked.has(tap)) return;
      asked.add(tap);
      waiting.push(tap);
      void next();
    },
    close: () => abort.abort(),
  };
}

export type Order = "layer" | "entropy" | "distance";
export interface Placed {
  tap: string;
  layer: number;
  head: number;
}

/** Heads of all given layers in one row, smallest first; those that mean nothing by it come last. */
export function sorted(layers: { tap: string; layer: number; summary: Summary }[], order: Order): Placed[] {
  const all = layers.flatMap(({ tap, layer, summary }) =>
    summary.heads.map((each) => ({ tap, layer, head: each.head, by: order === "layer" ? 0 : each[order] })),
  );
  const rank = (value: number | null) => value ?? Infinity;
  if (order !== "layer") all.sort((a, b) => rank(a.by) - rank(b.by) || a.layer - b.layer || a.head - b.head);
  return all.map(({ tap, layer, head }) => ({ tap, layer, head }));
}
