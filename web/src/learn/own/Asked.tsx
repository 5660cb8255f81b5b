/** A picture of what the server answered, or a line that says why it is not here yet. */
import type { ComponentChildren } from "preact";
import type { Loaded } from "../../weights/loaded";
import { useWords } from "../../words/words";

interface AskedProps<T> {
  loaded: Loaded<T>;
  children(value: T): ComponentChildren;
}

export function Asked<T>({ loaded: { value, loading, error }, children }: AskedProps<T>) {
  const say = useWords();
  if (error) return <p class="rg-note" role="alert">{error}</p>;
  if (!value) return <p class="rg-note" role="status">{say("model.running", { model: "en-de" })}</p>;
  return <div class="rg-stack" aria-busy={loading}>{children(value)}</div>;
}
