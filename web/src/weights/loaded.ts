/** An answer that is being asked for: the last one stays until the next has come. */
import { useEffect, useState } from "preact/hooks";
import { sentence } from "../state";
import { translated } from "../words/translated";
import { useWords } from "../words/words";

export interface Loaded<T> {
  value: T | null; // the newest that has arrived, perhaps of an earlier question
  now: T | null; // the same, if it is of the present one
  loading: boolean;
  error: string | null;
}

/** Asks when `key` changes and cancels what is no longer wanted; a null key asks nothing. */
export function useLoaded<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const say = useWords();
  const [held, hold] = useState<Pick<Loaded<T>, "value" | "error"> & { key: string | null }>({ value: null, error: null, key: null });
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    ask(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) hold({ value, error: null, key });
      },
      (reason: unknown) => {
        if (abort.signal.aborted) return;
        hold(({ value }) => ({ value, error: sentence(reason), key }));
      },
    );
    return () => abort.abort();
  }, [key]);
  const current = held.key === key;
  const error = current && held.error !== null ? translated(say, held.error) : null;
  return { value: held.value, now: current && error === null ? held.value : null, loading: key !== null && !current, error };
}

/** Wait until the current frame is on the screen, so that what can wait does not slow it down. */
export function painted(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
