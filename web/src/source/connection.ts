/** Connection to the server: while there is none, the server is asked again and again. */
import { signal, type ReadonlySignal } from "@preact/signals";

const EVERY = 2000; // milliseconds between two attempts

/** The way to a server that may go and come back. */
export interface Connection {
  readonly lost: ReadonlySignal<boolean>;
  readonly returns: ReadonlySignal<number>; // how often it has come back; what failed is then asked again
  /** Tries now instead of at the next attempt. */
  retry(): Promise<void>;
}

export const UNREACHABLE = "The server does not respond; check that `regard studio` is still running, then try again.";

/** A connection, and what reports that a request did not reach the server. `answers` resolves to whether it responds. */
export function connection(answers: () => Promise<boolean>, every = EVERY): Connection & { fail(): void } {
  const lost = signal(false);
  const returns = signal(0);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const retry = async () => {
    clearTimeout(timer);
    const back = await answers();
    if (!lost.value) return; // another attempt was faster
    if (back) {
      lost.value = false;
      returns.value += 1;
    } else {
      clearTimeout(timer);
      timer = setTimeout(retry, every);
    }
  };
  const fail = () => {
    if (lost.value) return;
    lost.value = true;
    timer = setTimeout(retry, every);
  };
  return { lost, returns, retry, fail };
}
