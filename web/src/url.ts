/** The address bar's half of the state: what is looked at, as a query string and back. */
import { choice, count, flag, fraction, head, list, parts, places, readFields, tuple, words, writeFields, type Values } from "./fields";
import { readLearning, writeLearning, type Learning } from "./learn/address";
import { lookOf, partOf } from "./off/parts";
import type { Group, Head, Quantity, Reduce, TraceRequest } from "./source";
import type { Aligned, Face, Pieces, Position, Scale, Theme, View, Viewport } from "./state";
import type { Language } from "./words/words";

/** Longer texts would not survive a link; their trace is named by its id. */
export const LONGEST_TEXT = 2000;
const MOST_HEADS = 8; // as many as there are colors

/** A trace as a link names it: by its text where asking for it makes it again, else by its id. */
export type Named = TraceRequest & { id: string };

/** Parts of the state that a link keeps, each under its name. */
export const FIELDS = {
  view: choice<View>("map", ["sentence"]),
  quantity: choice<Quantity>("weight", ["norm", "score"]),
  scale: choice<Scale>("auto", ["linear", "log", "row"]), // "auto" goes by what is in view; "linear" is 0 to 1 for weights
  group: choice<Group>("token", ["word", "sentence"]),
  reduce: choice<Reduce>("max", ["mean"]),
  sinkless: flag, // the first token is set aside, and so are the sinks on it
  aligned: choice<Aligned>("output", ["input"]), // of the translation
  pieces: choice<Pieces>("word", ["token"]), // of the translation
  theme: choice<Theme>("system", ["light", "dark"]),
  language: choice<Language>("en", ["de", "hi"]), // of the lessons
  tapName: { ...words(""), param: "tap" },
  head,
  viewport: { ...tuple(3, ({ row, column, columns }: Viewport) => [row, column, columns].map(short), ([row, column, columns]) => ({ row: row!, column: column!, columns: Math.max(1, columns!) }), null, -Infinity, false), param: "at" }, // null: the whole map fits
  focus: tuple(2, ({ query, key }: Position) => [query, key], ([query, key]) => ({ query: query!, key: key! }), null), // the cell that the keyboard moves and the drawer shows
  drawer: choice<Face>("", ["cell", "word", "why"]),
  locked: places<number[]>([]), // queries whose lines stay
  step: count(null), // of the output: the word that the drawer is of
  heads: list<Head | null, (Head | null)[]>((text) => text.split(",").slice(0, MOST_HEADS).map((each) => (each ? head.read(each) : null)), []), // drawn as lines together, each in the color of its place; none: `head` alone
  drawn: { initial: null as string[] | null, write: (lines: string[] | null) => lines?.join(",") ?? null, read: (text: string) => text.split(",").filter((each) => lookOf(each)) }, // lines of the game, by the names of off/parts.ts; null: it is not played
  against: count(null), // the token whose logit is subtracted
  measured: words(""), // the axis whose tokens are measured; none: the first that is read
  difference: flag, // from the map that is pinned, instead of both
};
export type Fields = Values<typeof FIELDS>;
const { theme, language } = FIELDS;
const LASTING = { theme, language }; // beside a lesson too

/** A request as a link says it. */
const REQUEST = {
  target: words(undefined),
  hypothesis: { ...count(undefined), write: (value: number | null | undefined) => (value ? String(value) : null) },
  num_beams: { ...count(undefined), param: "beams" },
  generate: count(undefined),
  temperature: fraction,
  top_k: { ...count(undefined), param: "top-k" },
  top_p: { ...fraction, param: "top-p" },
  seed: count(undefined),
  sentence: count(undefined),
  without: parts(partOf, undefined),
  looks: parts((each) => each.includes(":"), undefined),
  forced_beginning: { ...places(undefined), param: "begins" },
};

/** Parameters that only name a text, and how the page looks besides. */
const TEXT = ["model", "text", "trace", ...Object.entries({ ...REQUEST, ...LASTING }).map(([name, field]) => ("param" in field ? field.param : name))];

export interface Address extends Fields {
  trace: Named | null;
  other: { trace: Named | null; tap: string; head: Head } | null; // trace null: the same as the first
  landing: boolean; // the link names no more than a text: the page chooses what to show of it
  learn: Learning | null; // a lesson has the page to itself: nothing but it, theme and language is in its link
}

export const DEFAULTS: Address = { ...readFields(FIELDS, new URLSearchParams()), trace: null, other: null, landing: true, learn: null };

/** The query string of an address; what is as by default is left out. */
export function write(address: Address): string {
  const params = new URLSearchParams();
  const { trace, other, learn } = address;
  if (learn) writeLearning(params, learn);
  else if (trace) writeNamed(params, "", trace);
  writeFields(learn ? LASTING : FIELDS, address, params);
  if (other && !learn) {
    params.set("other", `${other.head},${other.tap}`);
    if (other.trace) writeNamed(params, "other-", other.trace);
  }
  // Commas, colons and slashes are allowed in a query and read better as themselves.
  return params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
}

/** True if a link can say the text itself. */
export function linked({ text, target }: Named): boolean {
  return text !== "" && text.length + (target?.length ?? 0) <= LONGEST_TEXT;
}

function writeNamed(params: URLSearchParams, prefix: string, named: Named): void {
  if (!linked(named)) {
    params.set(`${prefix}trace`, named.id);
    return;
  }
  params.set(`${prefix}model`, named.model);
  params.set(`${prefix}text`, named.text);
  writeFields(REQUEST, named as Values<typeof REQUEST>, params, prefix);
}

/** The address of a query string; whatever makes no sense is as by default. */
export function read(query: string): Address {
  const params = new URLSearchParams(query);
  const learn = readLearning(params);
  if (learn) return { ...DEFAULTS, ...readFields(LASTING, params), learn, landing: false };
  const [from = "", tap] = (params.get("other") ?? "").split(",");
  const other = tap ? { head: head.read(from), tap, trace: readNamed(params, "other-") } : null;
  return { ...readFields(FIELDS, params), trace: readNamed(params, ""), other, landing: [...params.keys()].every((name) => TEXT.includes(name)), learn };
}

function readNamed(params: URLSearchParams, prefix: string): Named | null {
  const [model, text, id] = ["model", "text", "trace"].map((name) => params.get(prefix + name) ?? "") as [string, string, string];
  return text || id || model ? { model, text, id, ...readFields(REQUEST, params, prefix) } : null;
}

const short = (value: number) => Number(value.toFixed(2));

/** True if going from one to the other is a step that "back" should undo: pans, zooms, a moved focus,
 * lines of the game and the letters of a sentence are not, for they come by the dozen. */
export function deliberate(before: Address, after: Address): boolean {
  const settled = ({ learn, drawn, ...address }: Address) =>
    write({ ...address, drawn: drawn && [], viewport: null, focus: null, learn: learn && { ...learn, text: null, spotlight: null } });
  return settled(before) !== settled(after);
}
