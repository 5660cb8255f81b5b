/** Fields of a link: what each is where the link does not say it, and how it is written and read. */
export interface Field<T> {
  initial: T;
  param?: string; // its name in the link, where that is another
  write(value: T): string | null; // null: there is nothing to say
  read(text: string): T; // what makes no sense is as at first
}
type Table = Record<string, Field<any>>;
export type Values<F extends Table> = { [K in keyof F]: F[K]["initial"] };

const said = (value: unknown) => (value === null ? "all" : String(value));
const numbers = (text: string) => text.split(",").filter(Boolean).map(Number).filter(Number.isFinite);
const whole = (text: string) => numbers(text).filter((value) => Number.isInteger(value) && value >= 0);

export const choice = <T>(initial: T, others: readonly T[]): Field<T> => ({
  initial,
  write: (value) => (value === undefined ? null : said(value)),
  read: (text) => [...others.filter((each) => said(each) === text), initial][0] as T,
});
export const flag: Field<boolean> = { initial: false, write: (value) => (value ? "1" : null), read: (text) => text === "1" };
export const words = <T extends string | null | undefined>(initial: T): Field<string | T> => ({ initial, write: (value) => value ?? null, read: (text) => text });
export const count = <T extends null | undefined>(initial: T): Field<number | T> => ({
  initial,
  write: (value) => (value === null || value === undefined ? null : String(value)),
  read: (text) => (/^\d+$/.test(text) ? Number(text) : initial),
});
export const fraction: Field<number | undefined> = { ...count(undefined), read: (text) => numbers(text)[0] };
export const head: Field<number | "mean"> = { initial: 0, write: String, read: (text) => (text === "mean" ? text : (whole(text)[0] ?? 0)) };

/** Several, with commas between; none is nothing to say. */
export function list<T, I>(read: (text: string) => T[], initial: I): Field<T[] | I> {
  return { initial, write: (all) => (Array.isArray(all) && all.length ? all.join(",") : null), read: (text) => (read(text).length ? read(text) : initial) };
}
export const places = <I>(initial: I) => list(whole, initial);
export const parts = <I>(makesSense: (part: string) => unknown, initial: I) => list((text) => text.split(",").filter(makesSense), initial);

/** As many numbers as the value has, none below `least`. */
export const tuple = <T, I>(size: number, to: (value: T) => number[], from: (all: number[]) => T, initial: I, least = 0, integers = true): Field<T | I> => ({
  initial,
  write: (value) => (value === initial ? null : to(value as T).join(",")),
  read: (text) => {
    const all = numbers(text);
    return all.length === size && all.every((each) => each >= least && (!integers || Number.isInteger(each))) ? from(all) : initial;
  },
});

/** Says what is not as at first. */
export function writeFields<F extends Table>(table: F, values: Partial<Values<F>>, params: URLSearchParams, prefix = ""): void {
  for (const [name, { param = name, initial, write }] of Object.entries(table)) {
    const text = name in values && values[name] !== undefined ? write(values[name]) : null;
    if (text !== null && text !== write(initial)) params.set(prefix + param, text);
  }
}

export function readFields<F extends Table>(table: F, params: URLSearchParams, prefix = ""): Values<F> {
  const values = Object.entries(table).map(([name, { param = name, initial, read }]) => {
    const text = params.get(prefix + param);
    return [name, text === null ? initial : read(text)] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Values<F>;
}
