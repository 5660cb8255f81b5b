/** The address bar's half of the state: what is looked at, as a query string and back. */
import { readLearning, writeLearning, type Learning } from "./learn/address";
import type { Group, Head, Quantity, Reduce, TraceRequest } from "./source";
import type { Aligned, Pieces, Position, Scale, Theme, View, Viewport } from "./state";

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
  aligned: Aligned;
  pieces: Pieces;
  difference: boolean;
  other: { trace: Named | null; tap: string; head: Head } | null; // trace null: the same as the first
  theme: Theme;
  landing: boolean; // the page chooses what to show first; never written
  learn: Learning | null; // a lesson has the page to itself: nothing but it and the theme is in its link
}

export const DEFAULTS: Address = {
  trace: null,
  view: "map",
  tap: "",
  head: 0,
  quantity: "weight",
  scale: "linear",
  group: "token",
  reduce: "max",
  viewport: null,
  focus: null,
  drawer: false,
  locked: [],
  step: null,
  heads: [],
  aligned: "output",
  pieces: "word",
  difference: false,
  other: null,
  theme: "system",
  landing: false,
  learn: null,
};

const CHOICES = {
  view: ["map", "flow", "generation", "translation", "compare"],
  quantity: ["weight", "norm", "score"],
  scale: ["linear", "log", "row", "sink"],
  group: ["token", "word", "sentence"],
  reduce: ["max", "mean"],
  aligned: ["output", "input"],
  pieces: ["word", "token"],
  theme: ["system", "light", "dark"],
} as const;

/** The query string of an address; what is as by default is left out. */
export function write(address: Address): string {
  const params = new URLSearchParams();
  if (address.learn) {
    writeLearning(params, address.learn);
    if (address.theme !== DEFAULTS.theme) params.set("theme", address.theme);
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
  if (address.difference) params.set("difference", "1");
  if (address.other) {
    params.set("other", `${address.other.head},${address.other.tap}`);
    if (address.other.trace) writeNamed(params, "other-", address.other.trace);
  }
  return readable(params);
}

/** What a trace was asked with, and its names in a link. */
const NUMBERS = [
  ["hypothesis", "hypothesis"], ["num_beams", "beams"], ["generate", "generate"],
  ["temperature", "temperature"], ["top_k", "top-k"], ["seed", "seed"],
] as const;
const LISTS = [["hidden", "without"], ["forced_beginning", "begins"]] as const;

/** Whether a link can say the text itself. */
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
  for (const [field, param] of LISTS) if (named[field]?.length) params.set(prefix + param, (named[field] as number[]).join(","));
}

/** The address of a query string; whatever makes no sense is as by default. */
export function read(query: string): Address {
  const params = new URLSearchParams(query);
  const learn = readLearning(params);
  const theme = CHOICES.theme.find((each) => each === params.get("theme")) ?? DEFAULTS.theme;
  if (learn) return { ...DEFAULTS, theme, learn };
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
    const [value] = field === "temperature" ? numbers(of(param)) : whole(of(param));
    if (value !== undefined && !(field === "hypothesis" && value === 0)) named[field] = value;
  }
  for (const [field, param] of LISTS) {
    const values = whole(of(param));
    if (values.length) named[field] = values;
  }
  return named;
}

function readHead(text: string | null): Head {
  return text === "mean" ? "mean" : (whole(text)[0] ?? 0);
}

const numbers = (text: string | null) => (text ? text.split(",").map(Number).filter(Number.isFinite) : []);
const whole = (text: string | null) => numbers(text).filter((value) => Number.isInteger(value) && value >= 0);
const short = (value: number) => Number(value.toFixed(2));

/** Whether going from one to the other is a step that "back" should undo: pans, zooms, a moved focus
 * and the letters of a sentence are not, for they come by the dozen. */
export function deliberate(before: Address, after: Address): boolean {
  const settled = ({ learn, ...address }: Address) =>
    write({ ...address, viewport: null, focus: null, learn: learn && { ...learn, text: null, spotlight: null } });
  return settled(before) !== settled(after);
}
