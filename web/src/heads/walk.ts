/** Many buttons with one tab stop: arrows walk among them as they stand on the screen. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Place {
  x: number;
  y: number;
}

const SAME_ROW = 4; // pixels

/** The index that an arrow, Home or End leads to from `at`; null for any other key, or past an edge. */
export function walked(places: readonly Place[], at: number, key: string): number | null {
  const here = places[at];
  if (!here) return places.length ? 0 : null;
  if (key === "Home") return 0;
  if (key === "End") return places.length - 1;
  if (key === "ArrowRight") return at + 1 < places.length ? at + 1 : null;
  if (key === "ArrowLeft") return at > 0 ? at - 1 : null;
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!by) return null;
  const away = (place: Place) => by * (place.y - here.y);
  const nextRow = Math.min(...places.map(away).filter((distance) => distance > SAME_ROW));
  let best: number | null = null;
  places.forEach((place, i) => {
    if (Math.abs(away(place) - nextRow) > SAME_ROW) return;
    const nearer = best === null || Math.abs(place.x - here.x) < Math.abs((places[best] as Place).x - here.x);
    if (nearer) best = i;
  });
  return best;
}

/** Moves the focus among the buttons of an element that match. */
export function walk(event: KeyboardEvent, selector: string): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>(selector)];
  const at = all.findIndex((each) => each === event.target);
  if (at < 0) return;
  const places = all.map((each) => {
    const { left, top } = each.getBoundingClientRect();
    return { x: left, y: top };
  });
  const next = walked(places, at, event.key);
  if (next === null) return;
  event.preventDefault();
  event.stopPropagation();
  (all[next] as HTMLElement).focus();
}

/** The button that the tab key stops at: where the arrows have led, else the current one, else the first. */
export function stopOf(keys: readonly string[], walkedTo: string, current: string): string {
  return [walkedTo, current].find((key) => keys.includes(key)) ?? keys[0] ?? "";
}

/** The tab stop among buttons that have these keys as `data-key`. What becomes current is the stop again. */
export function useStop(keys: readonly string[], current: string) {
  const walkedTo = useSignal("");
  useEffect(() => {
    walkedTo.value = "";
  }, [current]);
  const onFocusIn = ({ target }: FocusEvent) => {
    const key = target instanceof HTMLElement ? target.dataset["key"] : undefined;
    if (key !== undefined) walkedTo.value = key;
  };
  return { stop: stopOf(keys, walkedTo.value, current), onFocusIn };
}
