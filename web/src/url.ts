/** The address bar's half of the state: what is looked at, as a query string and back. */
import { PATTERNS, type Order, type Wanted } from "./heads/arrange";
import { readLearning, writeLearning, type Learning } from "./learn/address";
import { lookOf, partOf } from "./off/parts";
import type { Group, Head, Quantity, Reduce, TraceRequest } from "./source";
import type { Aligned, Pieces, Position, Scale, Shade, Theme, View, Viewport } from "./state";
import type { Language } from "./words/words";

/** Longer texts would not survive a link; their trace is named by its id. */
export const LONGEST_TEXT = 2000;
const MOST_HEADS = 8; // as many as the flow has colors

/** A trace as a link names it: by its text where asking for it makes it again, else by its id. */
export type Named = TraceRequest & { id: string };

export interface Address {
  trace: Named | null;
  view: View;
  tap: string;
  head: Head;
  quantity: Quantity;
  scale: Scale;
  group: Group;
  reduce: Reduce;
  viewport: Viewport | null;
  focus: Position | null;
  drawer: boolean;
  locked: number[];
  step: number | null;
  heads: (Head | null)[];
  order: Order;
  pattern: Wanted;
  shade: Shade;
  aligned: Aligned;
  pieces: Pieces;
  drawn: string[] | null;
  against: number | null;
  measured: string;
  difference: boolean;
  other: { trace: Named | null; tap: string; head: Head } | null; // trace null: the same as the first
  theme: Theme;
  language: Language;
  landing: boolean; // the page chooses what to show first; never written
  learn: Learning | null; // a lesson has the page to itself: nothing but it, theme and language is in its link
}

export const DEFAULTS: Address = {
  trace: null,
  view: "map",
  tap: "",
  head: 0,
  quantity: "weight",
  scale: "auto",
  group: "token",
  reduce: "max",
  viewport: null,
  focus: null,
  drawer: false,
  locked: [],
  step: null,
  heads: [],
  order: "layer",
  pattern: "",
  shade: "each",
  aligned: "output",
  pieces: "word",
  drawn: null,
  against: null,
  measured: "",
  difference: false,
  other: null,
  theme: "system",
  language: "en",
  landing: false,
  learn: null,
};

const CHOICES = {
  view: ["map", "heads", "flow", "generation", "translation", "why", "compare"],
  quantity: ["weight", "norm", "score"],
  scale: ["auto", "linear", "log", "row", "sink"],
  group: ["token", "word", "sentence"],
  reduce: ["max", "mean"],
  order: ["layer", "pattern", "entropy", "distance"],
  pattern: [...PATTERNS, "none"],
  shade: ["each", "one"],
  aligned: ["output", "input"],
  pieces: ["word", "token"],
  theme: ["system", "light", "dark"],
  language: ["en", "de", "hi"],
} as const;

/** The query string of an address; what is as by default is left out. */
export function write(address: Address): string {
  const params = new URLSearchParams();
  if (address.learn) {
    writeLearning(params, address.learn);
    for (const name of ["theme", "language"] as const) if (address[name] !== DEFAULTS[name]) params.set(name, address[name]);
    return readable(params);
  }
  if (address.trace) writeNamed(params, "", address.trace);
  for (const name of Object.keys(CHOICES) as (keyof typeof CHOICES)[])
    if (address[name] !== DEFAULTS[name]) params.set(name, address[name]);
  if (address.tap) params.set("tap", address.tap);
  if (address.head !== 0) params.set("head", String(address.head));
  const { viewport, focus } = address;
  if (viewport) params.set("at", [viewport.row, viewport.column, viewport.columns].map(short).join(","));
  if (focus) params.set("focus", `${focus.query},${focus.key}`);
  if (address.drawer) params.set("drawer", "1");
  if (address.locked.length) params.set("locked", address.locked.join(","));
  if (address.step !== null) params.set("step", String(address.step));
  if (address.heads.length > 1) params.set("heads", address.heads.map((head) => head ?? "").join(","));
  if (address.drawn) params.set("drawn", address.drawn.join(","));
  if (address.against !== null) params.set("against", String(address.against));
  if (address.measured) params.set("measured", address.measured);
  if (address.difference) params.set("difference", "1");
  if (address.other) {
    params.set("other", `${address.other.head},${address.other.tap}`);
    if (address.other.trace) writeNamed(params, "other-", address.other.trace);
  }
  return readable(params);
}

/** Fields of a request, and their names in a link. */
const NUMBERS = [
  ["hypothesis", "hypothesis"], ["num_beams", "beams"], ["generate", "generate"],
  ["temperature", "temperature"], ["top_k", "top-k"], ["top_p", "top-p"], ["seed", "seed"],
  ["sentence", "sentence"],
] as const;
const FRACTIONS: readonly string[] = ["temperature", "top_p"];

/** True if a link can say the text itself. */
export function linked({ text, target }: Named): boolean {
  return text !== "" && text.length + (target?.length ?? 0) <= LONGEST_TEXT;
}

/** Commas, colons and slashes are allowed in a query and read better as themselves. */
function readable(params: URLSearchParams): string {
  return params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
}

function writeNamed(params: URLSearchParams, prefix: string, named: Named): void {
  if (!linked(named)) {
    params.set(`${prefix}trace`, named.id);
    return;
  }
  params.set(`${prefix}model`, named.model);
  params.set(`${prefix}text`, named.text);
  if (named.target) params.set(`${prefix}target`, named.target);
  for (const [field, param] of NUMBERS) if (named[field] || (named[field] === 0 && field !== "hypothesis")) params.set(prefix + param, String(named[field]));
  if (named.without?.length) params.set(`${prefix}without`, named.without.join(","));
  if (named.looks?.length) params.set(`${prefix}looks`, named.looks.join(","));
  if (named.forced_beginning?.length) params.set(`${prefix}begins`, named.forced_beginning.join(","));
}

/** The address of a query string; whatever makes no sense is as by default. */
export function read(query: string): Address {
  const params = new URLSearchParams(query);
  const learn = readLearning(params);
  const theme = CHOICES.theme.find((each) => each === params.get("theme")) ?? DEFAULTS.theme;
  const language = CHOICES.language.find((each) => each === params.get("language")) ?? DEFAULTS.language;
  if (learn) return { ...DEFAULTS, theme, language, learn };
  const address: Address = { ...DEFAULTS, trace: readNamed(params, "") };
  for (const name of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) {
    const value = params.get(name);
    if ((CHOICES[name] as readonly string[]).includes(value ?? "")) Object.assign(address, { [name]: value });
  }
  address.tap = params.get("tap") ?? "";
  address.head = readHead(params.get("head"));
  const at = numbers(params.get("at"));
  if (at.length === 3) address.viewport = { row: at[0] ?? 0, column: at[1] ?? 0, columns: Math.max(1, at[2] ?? 1) };
  const focus = whole(params.get("focus"));
  if (focus.length === 2) address.focus = { query: focus[0] ?? 0, key: focus[1] ?? 0 };
  address.drawer = params.get("drawer") === "1";
  address.locked = whole(params.get("locked"));
  address.step = whole(params.get("step"))[0] ?? null;
  const heads = (params.get("heads") ?? "").split(",").slice(0, MOST_HEADS);
  if (heads.length > 1) address.heads = heads.map((each) => (each ? readHead(each) : null));
  const drawn = params.get("drawn");
  if (drawn !== null) address.drawn = drawn.split(",").filter((each) => lookOf(each));
  address.against = whole(params.get("against"))[0] ?? null;
  address.measured = params.get("measured") ?? "";
  address.difference = params.get("difference") === "1";
  address.landing = params.get("landing") === "1";
  const [head, tap] = (params.get("other") ?? "").split(",");
  if (head && tap) address.other = { head: readHead(head), tap, trace: readNamed(params, "other-") };
  return address;
}

function readNamed(params: URLSearchParams, prefix: string): Named | null {
  const of = (name: string) => params.get(prefix + name);
  const [text, id] = [of("text") ?? "", of("trace") ?? ""];
  if (!text && !id) return null;
  const named: Named = { model: of("model") ?? "", text, id };
  if (of("target")) named.target = of("target");
  for (const [field, param] of NUMBERS) {
    const [value] = FRACTIONS.includes(field) ? numbers(of(param)) : whole(of(param));
    if (value !== undefined && !(field === "hypothesis" && value === 0)) named[field] = value;
  }
  const without = (of("without") ?? "").split(",").filter((each) => partOf(each));
  if (without.length) named.without = without;
  const looks = (of("looks") ?? "").split(",").filter((each) => each.includes(":"));
  if (looks.length) named.looks = looks;
  const begins = whole(of("begins"));
  if (begins.length) named.forced_beginning = begins;
  return named;
}

function readHead(text: string | null): Head {
  return text === "mean" ? "mean" : (whole(text)[0] ?? 0);
}

const numbers = (text: string | null) => (text ? text.split(",").map(Number).filter(Number.isFinite) : []);
const whole = (text: string | null) => numbers(text).filter((value) => Number.isInteger(value) && value >= 0);
const short = (value: number) => Number(value.toFixed(2));

/** True if going from one to the other is a step that "back" should undo: pans, zooms, a moved focus,
 * lines of the game and the letters of a sentence are not, for they come by the dozen. */
export function deliberate(before: Address, after: Address): boolean {
  const settled = ({ learn, drawn, ...address }: Address) =>
    write({ ...address, drawn: drawn && [], viewport: null, focus: null, learn: learn && { ...learn, text: null, spotlight: null } });
  return settled(before) !== settled(after);
}
