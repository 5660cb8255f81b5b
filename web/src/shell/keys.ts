/** Commands by key. */
import type { Key } from "../words/words";

export type Command =
  | { do: "move"; rows: number; columns: number }
  | { do: "head"; by: number }
  | { do: "layer"; by: number }
  | { do: "zoom"; factor: number }
  | { do: "fit" | "lock" | "strike" | "pull" | "equation" | "ablate" | "text" | "help" | "close" };

/** Part of a key press that a command needs. */
export type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

const STEP = 10; // cells that an arrow goes with shift held

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** What keys do, in the order in which the list that `?` opens is read. */
export const KEYS: readonly { keys: string[]; means: Key; press?: Record<string, Command> }[] = [
  { keys: ["←", "↑", "→", "↓"], means: "key.move" },
  { keys: ["["], means: "key.head.previous", press: { "[": { do: "head", by: -1 } } },
  { keys: ["]"], means: "key.head.next", press: { "]": { do: "head", by: 1 } } },
  { keys: ["{"], means: "key.layer.previous", press: { "{": { do: "layer", by: -1 } } },
  { keys: ["}"], means: "key.layer.next", press: { "}": { do: "layer", by: 1 } } },
  { keys: ["+", "−"], means: "key.zoom", press: { "+": { do: "zoom", factor: 1.5 }, "=": { do: "zoom", factor: 1.5 }, "-": { do: "zoom", factor: 1 / 1.5 } } },
  { keys: ["0"], means: "key.fit", press: { "0": { do: "fit" } } },
  { keys: ["l"], means: "key.lock", press: { l: { do: "lock" } } },
  { keys: ["e"], means: "key.equation", press: { e: { do: "equation" } } },
  { keys: ["a"], means: "key.ablate", press: { a: { do: "ablate" } } },
  { keys: ["x"], means: "key.strike", press: { x: { do: "strike" } } },
  { keys: ["p"], means: "key.pull", press: { p: { do: "pull" } } },
  { keys: ["/"], means: "key.text", press: { "/": { do: "text" } } },
  { keys: ["enter"], means: "key.enter" },
  { keys: ["?"], means: "key.help", press: { "?": { do: "help" } } },
  { keys: ["esc"], means: "key.close", press: { Escape: { do: "close" } } },
];
const COMMANDS: Record<string, Command> = Object.assign({}, ...KEYS.map(({ press }) => press));

/** The command of a key press; null for a key that means nothing here, such as a browser's own. */
export function command(press: Press): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  const arrow = ARROWS[press.key];
  if (arrow) {
    const by = press.shiftKey ? STEP : 1;
    return { do: "move", rows: arrow[0] * by || 0, columns: arrow[1] * by || 0 };
  }
  return COMMANDS[press.key] ?? null;
}

/** True if the focused element would use this key: letters go to a text field, arrows to a list. */
export function taken(element: { tagName: string; type?: string; role: string | null }, press: Press): boolean {
  if (press.key === "Escape") return false;
  const tag = element.tagName.toLowerCase();
  const typing = tag === "textarea" || tag === "select" || (tag === "input" && element.type !== "checkbox");
  if (typing) return true;
  const arrows = press.key in ARROWS;
  return arrows && ["tab", "slider", "menuitem", "option", "radio", "listbox"].includes(element.role ?? "");
}
