/** Answers made from a trace's stored numbers: tiles of every level, group and quantity, cells, looks and
 * the mean over heads.
 *
 * A key is what is asked after `/api/traces/{id}/`, its query sorted by name, values percent-encoded
 * as JavaScript's encodeURIComponent does (Python: urllib.parse.quote(value, safe="!'()*")):
 *   summary?tap=T                       Summary
 *   thumbnails?size=48&tap=T            (heads, height, width)
 *   scale?tap=T                         number: what q·k is multiplied by; null where the score is no
 *                                       multiple of it
 *   map?head=H&quantity=weight&tap=T    (rows, columns) of tokens, NaN where the mask forbids
 *   vectors?head=H&tap=T                one row of numbers: q (rows × head_dim), then k (columns ×
 *                                       head_dim), then v (columns × value_dim); optional
 *   lse?head=H&tap=T                    (rows): log Σ exp(score)
 *   value_norms?head=H&tap=T            (columns): ‖f(x)‖; absent where it is not known
 *   map?head=H&quantity=score&tap=T     optional: scores as softmax saw them; if absent they are
 *                                       log(weight) + lse, or scale · q·k where a weight is 0
 *   bias?head=H&tap=T                   (rows, columns), only where a bias was added
 * H is an integer. Tiles of every level, group and quantity, cells, looks and the mean over heads are
 * made of these here. A long trace instead keeps tiles as they were answered, under
 *   tile?column=…&every=…&group=token&head=H&height=…&level=…&quantity=…&reduce=…&row=…&tap=T&width=…
 * and whole answers under   cell?head=H&key=K&query=Q&tap=T   and   looks?head=H&k=8&quantity=…&query=Q&tap=T.
 * A stored answer is used before one is made; what is neither stored nor can be made is said to be
 * left out. */
import type { Cell, Head, Looked, Quantity, TapInfo, TileRequest, TraceInfo } from "../source";
import { reduced, spans } from "./cells";
import { pathOf, type Binary } from "./requests";

/** A trace, and what is kept of it under each key. */
export interface Kept {
  trace: TraceInfo;
  numbers(key: string): Binary | null;
  plain(key: string): unknown; // undefined for a missing key
  missing(what: string): Error; // why there is no answer
}

/** Answers to what is asked after `/api/traces/{id}/`. */
export interface Answers {
  json(key: string): unknown;
  binary(key: string): Binary;
}

const LOOKS = 8;

export function answersFrom({ trace, numbers: stored, plain, missing }: Kept): Answers {
  const tapOf = (name: string): TapInfo => {
    const tap = trace.taps.find((each) => each.name === name);
    if (!tap) throw new Error(`There is no tap ${name} in this file.`);
    return tap;
  };
  const numbersOf = (what: string, tap: string, head: number) => stored(pathOf(what, { tap, head }))?.values ?? null;

  /** Query, key and value of one head, as views of what is stored. */
  const vectors = (tap: TapInfo, head: number) => {
    const all = numbersOf("vectors", tap.name, head);
    if (!all) return null;
    const keys = tap.rows * tap.head_dim;
    const values = keys + tap.columns * tap.head_dim;
    const width = (all.length - values) / tap.columns;
    return {
      query: (i: number) => all.subarray(i * tap.head_dim, (i + 1) * tap.head_dim),
      key: (i: number) => all.subarray(keys + i * tap.head_dim, keys + (i + 1) * tap.head_dim),
      value: (i: number) => all.subarray(values + i * width, values + (i + 1) * width),
    };
  };

  /** One row of a token map, or null where it is not kept. */
  const row = (tap: TapInfo, head: Head, query: number, quantity: Quantity): Float32Array | null => {
    if (head === "mean") {
      const rows = Array.from({ length: tap.heads }, (_, each) => row(tap, each, query, quantity));
      if (rows.some((each) => !each)) return null;
      const sum = new Float32Array(tap.columns);
      for (const each of rows as Float32Array[]) for (let i = 0; i < sum.length; i++) sum[i] = at(sum, i) + at(each, i);
      return sum.map((value) => value / tap.heads);
    }
    const cut = (values: Float32Array) => values.subarray(query * tap.columns, (query + 1) * tap.columns);
    const direct = stored(pathOf("map", { tap: tap.name, head, quantity }));
    if (direct) return cut(direct.values);
    const weights = stored(pathOf("map", { tap: tap.name, head, quantity: "weight" }));
    if (!weights) return null;
    if (quantity === "norm") {
      const norms = numbersOf("value_norms", tap.name, head);
      return norms && cut(weights.values).map((weight, key) => weight * at(norms, key));
    }
    return cut(weights.values).map((weight, key) => score(tap, head, query, key, weight) ?? NaN);
  };

  const score = (tap: TapInfo, head: number, query: number, key: number, weight: number): number | null => {
    const lse = numbersOf("lse", tap.name, head);
    if (weight > 0) return lse && Math.log(weight) + at(lse, query);
    const both = vectors(tap, head);
    const scale = scaleOf(tap);
    if (!both || scale === null || Number.isNaN(weight)) return null;
    const bias = numbersOf("bias", tap.name, head);
    return scale * dot(both.query(query), both.key(key)) + (bias ? at(bias, query * tap.columns + key) : 0);
  };
  const scaleOf = (tap: TapInfo) => (plain(pathOf("scale", { tap: tap.name })) ?? null) as number | null;

  const largest = (axis: string, values: ArrayLike<number>, k: number): { looks: Looked[]; rest: number } => {
    const order = Array.from(values, (_, i) => i).filter((i) => !Number.isNaN(at(values, i)));
    order.sort((a, b) => at(values, b) - at(values, a) || a - b);
    const token = (i: number) => trace.axes[axis]?.tokens[i] ?? "";
    return {
      looks: order.slice(0, k).map((i) => ({ position: i, token: token(i), weight: at(values, i) })),
      rest: order.slice(k).reduce((sum, i) => sum + at(values, i), 0),
    };
  };

  const column = (tap: TapInfo, head: Head, key: number, quantity: Quantity): number[] =>
    Array.from({ length: tap.rows }, (_, query) => row(tap, head, query, quantity)?.[key] ?? NaN);

  const cell = (tap: TapInfo, head: Head, query: number, key: number): Cell => {
    if (head === "mean")
      throw new Error(`The numbers behind a weight are those of one head; choose 0 to ${tap.heads - 1}.`);
    const weights = row(tap, head, query, "weight");
    const both = vectors(tap, head);
    const lse = numbersOf("lse", tap.name, head);
    if (!weights || !both || !lse) throw missing(`The equation of ${tap.name}, head ${head},`);
    const bias = numbersOf("bias", tap.name, head);
    const norms = numbersOf("value_norms", tap.name, head);
    const allowed = !Number.isNaN(at(weights, key));
    const weight = allowed ? at(weights, key) : 0;
    const scale = scaleOf(tap);
    const product = dot(both.query(query), both.key(key));
    const added = bias ? at(bias, query * tap.columns + key) : null;
    const given = stored(pathOf("map", { tap: tap.name, head, quantity: "score" }));
    const exact = given ? at(given.values, query * tap.columns + key) : NaN;
    const own = Number.isNaN(exact) ? score(tap, head, query, key, weight) : exact;
    const looks = largest(tap.keys, weights, LOOKS);
    return {
      tap: tap.name,
      head,
      query,
      key,
      query_token: trace.axes[tap.queries]?.tokens[query] ?? "",
      key_token: trace.axes[tap.keys]?.tokens[key] ?? "",
      query_vector: Array.from(both.query(query)),
      key_vector: Array.from(both.key(key)),
      value_vector: Array.from(both.value(key)),
      dot: product,
      scale,
      score: own ?? (scale === null ? null : scale * product + (added ?? 0)),
      bias: added,
      allowed,
      lse: at(lse, query),
      weight,
      value_norm: norms && at(norms, key),
      norm: norms && weight * at(norms, key),
      row: looks.looks,
      row_rest: looks.rest,
      row_entropy: weights.reduce((sum, each) => (each > 0 ? sum - each * Math.log2(each) : sum), 0),
      column: largest(tap.queries, column(tap, head, key, "weight"), LOOKS).looks,
    };
  };

  const tile = (request: TileRequest): Binary => {
    const tap = tapOf(request.tap);
    const [queries, keys] = [spans(trace, tap.queries, tap.rows, request.group), spans(trace, tap.keys, tap.columns, request.group)];
    if (!row(tap, request.head, 0, request.quantity)) throw missing(`This part of ${tap.name}, head ${request.head},`);
    const made = reduced(request, queries, keys, (query) => row(tap, request.head, query, request.quantity) as Float32Array);
    return { shape: [made.height, made.width], values: made.values };
  };

  /** All maps of a layer, where they are no larger than the pictures that are asked for. */
  const maps = (tap: TapInfo, size: number): Binary => {
    const values = new Float32Array(tap.heads * tap.rows * tap.columns);
    for (let at = 0; at < tap.heads * tap.rows; at++) {
      const found = Math.max(tap.rows, tap.columns) <= size ? row(tap, Math.floor(at / tap.rows), at % tap.rows, "weight") : null;
      if (!found) throw missing(`The pictures of ${tap.name}`);
      values.set(found, at * tap.columns);
    }
    return { shape: [tap.heads, tap.rows, tap.columns], values };
  };

  const answer = (what: string, query: URLSearchParams): unknown => {
    const tap = tapOf(query.get("tap") ?? "");
    const head: Head = query.get("head") === "mean" ? "mean" : Number(query.get("head"));
    if (what === "cell") return cell(tap, head, Number(query.get("query")), Number(query.get("key")));
    if (what === "looks") {
      const quantity = (query.get("quantity") ?? "weight") as Quantity;
      const k = Number(query.get("k") ?? LOOKS);
      const values = query.has("query")
        ? row(tap, head, Number(query.get("query")), quantity)
        : row(tap, head, 0, quantity) && column(tap, head, Number(query.get("key")), quantity);
      if (!values) throw missing(`This part of ${tap.name}, head ${head},`);
      return largest(query.has("query") ? tap.keys : tap.queries, values, k);
    }
    throw missing(what === "summary" ? `The summary of ${tap.name}` : `This answer (${what})`);
  };

  return {
    json(key) {
      const [what = "", query] = key.split("?");
      return plain(key) ?? answer(what, new URLSearchParams(query));
    },
    binary(key) {
      const found = stored(key);
      if (found) return found;
      const query = new URLSearchParams(key.split("?")[1]);
      if (key.startsWith("thumbnails?")) return maps(tapOf(query.get("tap") ?? ""), Number(query.get("size")));
      if (!key.startsWith("tile?")) throw missing("This picture");
      const request = { ...(Object.fromEntries(query) as unknown as TileRequest), ...sizes(query), every: 1 };
      return stored(pathOf("tile", { ...request })) ?? tile(request); // what is kept looked at every row
    },
  };
}

function sizes(query: URLSearchParams) {
  const number = (name: string) => Number(query.get(name));
  const head: Head = query.get("head") === "mean" ? "mean" : number("head");
  return { head, level: number("level"), row: number("row"), column: number("column"), height: number("height"), width: number("width") };
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, i) => sum + value * at(other, i), 0);
}

const at = (values: ArrayLike<number>, i: number) => values[i] as number;
