/** Several heads at once: each keeps its color for as long as it is chosen. */
import { batch } from "@preact/signals";
import type { Head } from "../source";
import type { State } from "../state";

export const COLORS = 8;
/** Slot i holds the head drawn in color i, or null. */
export type Slots = (Head | null)[];

/** Adds a head in the first free color, or takes it away; one always stays. */
export function toggled(slots: Slots, head: Head): Slots {
  const at = slots.indexOf(head);
  if (at >= 0) {
    const rest = slots.map((each, i) => (i === at ? null : each));
    return rest.some((each) => each !== null) ? trimmed(rest) : slots;
  }
  const free = slots.indexOf(null);
  if (free >= 0) return slots.map((each, i) => (i === free ? head : each));
  return slots.length < COLORS ? [...slots, head] : slots;
}

/** The heads that the flow shows: those chosen together, else the one that every view shows. */
export function slotsOf({ heads, head }: State): Slots {
  return heads.value.includes(head.value) ? heads.value : [head.value];
}

/** Puts a head beside the others of its layer, or takes it away. */
export function beside(state: State, head: Head): void {
  const next = toggled(slotsOf(state), head);
  const left = chosen(next).map((each) => each.head);
  batch(() => {
    state.heads.value = next;
    state.head.value = left.includes(head) ? head : (left[left.length - 1] ?? state.head.value);
  });
}

export interface Chosen {
  head: Head;
  color: number;
}

export function chosen(slots: Slots): Chosen[] {
  return slots.flatMap((head, color) => (head === null ? [] : [{ head, color }]));
}

function trimmed(slots: Slots): Slots {
  let end = slots.length;
  while (end > 0 && slots[end - 1] === null) end--;
  return slots.slice(0, end);
}
