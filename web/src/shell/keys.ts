/** Commands by key. */

export type Command =
  | { do: "move"; rows: number; columns: number }
  | { do: "head"; by: number }
  | { do: "layer"; by: number }
  | { do: "zoom"; factor: number }
  | { do: "fit" | "lock" | "strike" | "pull" | "equation" | "ablate" | "text" | "help" | "close" };

/** Part of a key press that a command needs. */
export interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const STEP = 10; // cells that an arrow goes with shift held

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const LETTERS: Record<string, Command> = {
  "[": { do: "head", by: -1 },
  "]": { do: "head", by: 1 },
  "{": { do: "layer", by: -1 },
  "}": { do: "layer", by: 1 },
  "+": { do: "zoom", factor: 1.5 },
  "=": { do: "zoom", factor: 1.5 },
  "-": { do: "zoom", factor: 1 / 1.5 },
  "0": { do: "fit" },
  l: { do: "lock" },
  x: { do: "strike" },
  p: { do: "pull" },
  e: { do: "equation" },
  a: { do: "ablate" },
  "/": { do: "text" },
  "?": { do: "help" },
  Escape: { do: "close" },
};

/** The list that `?` opens, in the order in which it is read. */
export const KEYS: readonly { keys: string[]; means: string }[] = [
  { keys: ["←", "↑", "→", "↓"], means: "move the focus cell; with shift, by ten" },
  { keys: ["["], means: "previous head; in Learn, previous lesson" },
  { keys: ["]"], means: "next head; in Learn, next lesson" },
  { keys: ["{"], means: "previous layer" },
  { keys: ["}"], means: "next layer" },
  { keys: ["+", "−"], means: "zoom in and out" },
  { keys: ["0"], means: "fit the whole map" },
  { keys: ["l"], means: "lock or release the query" },
  { keys: ["e"], means: "open or close the equation" },
  { keys: ["a"], means: "switch off the edge under the pointer or the focus" },
  { keys: ["x"], means: "strike out the word of the source under the pointer or the focus" },
  { keys: ["p"], means: "pull the ribbon of a translated word: arrows, then enter or esc" },
  { keys: ["/"], means: "go to the text" },
  { keys: ["enter"], means: "in the text: look at it" },
  { keys: ["?"], means: "this list" },
  { keys: ["esc"], means: "close what is open" },
];

/** The command of a key press; null for a key that means nothing here, such as a browser's own. */
export function command(press: Press): Command | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  const arrow = ARROWS[press.key];
  if (arrow) {
    const by = press.shiftKey ? STEP : 1;
    return { do: "move", rows: arrow[0] * by || 0, columns: arrow[1] * by || 0 };
  }
  return LETTERS[press.key] ?? null;
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
