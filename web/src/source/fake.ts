/** A source with invented queries and keys and the exact softmax of them: for tests and `npm run dev`
 * alone, never in the bundle. Heads are of the kinds one meets: previous token, same token, sink,
 * diagonal of a translation, first half of the sentence, and content. */
import { describe, EXAMPLE, HEADS, noise, WIDTH, word } from "./invented";
import { lines, reduced, thumbnail } from "./cells";
import type {
  AblationRequest,
  AxisInfo,
  Cell,
  Head,
  HeadInfo,
  Looks,
  Source,
  TapInfo,
  Tile,
  TileRequest,
  TraceInfo,
} from "../source";

interface Fake {
  info: TraceInfo;
  rows: Map<string, Float32Array>; // of weights, by tap, head and query
  off: { tap: string; head: number; query: number; key: number; what: string } | null;
}

/** Query or key of one position: waves of its place, then its content, then a constant. */
function vector(fake: Fake, tap: TapInfo, head: number, position: number, isQuery: boolean): Float32Array {
  const axis = fake.info.axes[isQuery ? tap.queries : tap.keys] as AxisInfo;
  const kind = (head + tap.layer) % HEADS;
  const stretch = isQuery && tap.kind === "cross" ? tap.columns / tap.rows : 1;
  const shift = isQuery && kind === 0 && tap.kind === "self" ? -1 : 0;
  const place = position * stretch + shift;
  const near = [3.2, 2.1, 0.4, 1.1][kind] as number;
  const content = [0.3, 0.5, 0.3, 2][kind] as number;
  const out = new Float32Array(WIDTH);
  for (let i = 0; i < 4; i++) {
    const angle = place * 1.6 * 0.42 ** i;
    out[2 * i] = near * Math.cos(angle);
    out[2 * i + 1] = near * Math.sin(angle);
  }
  const seed = word(axis.tokens[position] ?? "");
  for (let i = 8; i < 15; i++) out[i] = content * noise(seed, i, isQuery && kind !== 3 ? head : tap.layer);
  out[15] = isQuery ? ([1, 1, 5, 1][kind] as number) : position === 0 || position === tap.columns - 1 ? 4 : 0;
  return out;
}

const valueNorm = (tap: TapInfo, head: number, key: number) =>
  (key === 0 ? 0.3 : 1) * (1 + 0.6 * noise(tap.layer, head, key, 11));

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number);
  return sum;
}

export function fakeSource(): Source {
  const opened = new Map<string, Fake>();
  const keys = new Map<string, Float32Array[]>();

  const get = (id: string): Fake => {
    const found = opened.get(id);
    if (!found) throw new Error(`There is no trace ${id}; trace a text first.`);
    return found;
  };
  const tapOf = (fake: Fake, name: string): TapInfo => {
    const found = fake.info.taps.find((tap) => tap.name === name);
    if (!found) throw new Error(`There is no tap ${name} in this trace.`);
    return found;
  };
  const keysOf = (fake: Fake, tap: TapInfo, head: number): Float32Array[] => {
    const name = `${fake.info.id} ${tap.name} ${head}`;
    let found = keys.get(name);
    if (!found) {
      found = Array.from({ length: tap.columns }, (_, key) => vector(fake, tap, head, key, false));
      keys.set(name, found);
    }
    return found;
  };
  const scores = (fake: Fake, tap: TapInfo, head: number, query: number): Float32Array => {
    const name = `${tap.name} ${head} ${query}`;
    const kept = fake.rows.get(name);
    if (kept) return kept;
    const mine = vector(fake, tap, head, query, true);
    const row = Float32Array.from(keysOf(fake, tap, head), (key, i) =>
      tap.causal && i > query ? NaN : dot(mine, key) / Math.sqrt(WIDTH),
    );
    if (fake.rows.size > 4096) fake.rows.clear();
    fake.rows.set(name, row);
    return row;
  };
  const logSumExp = (row: Float32Array): number => {
    let most = -Infinity;
    for (const score of row) if (score > most) most = score;
    let sum = 0;
    for (const score of row) if (!Number.isNaN(score)) sum += Math.exp(score - most);
    return most + Math.log(sum);
  };
  const rowOf = (fake: Fake, tap: TapInfo, head: Head, query: number, quantity: string): Float32Array => {
    if (head === "mean") {
      const rows = Array.from({ length: tap.heads }, (_, each) => rowOf(fake, tap, each, query, quantity));
      return (rows[0] as Float32Array).map((_, i) => rows.reduce((sum, row) => sum + (row[i] as number), 0) / rows.length);
    }
    const row = scores(fake, tap, head, query);
    if (quantity === "score") return row;
    const lse = logSumExp(row);
    return row.map((score, key) => Math.exp(score - lse) * (quantity === "norm" ? valueNorm(tap, head, key) : 1));
  };
  const largest = (axis: AxisInfo, values: Float32Array, k: number): Looks => {
    const order = [...values.keys()].filter((i) => !Number.isNaN(values[i])).sort((a, b) => (values[b] as number) - (values[a] as number));
    const looks = order.slice(0, k).map((i) => ({ position: i, token: axis.tokens[i] ?? "", weight: values[i] as number }));
    return { looks, rest: order.slice(k).reduce((sum, i) => sum + (values[i] as number), 0) };
  };
  const columnOf = (fake: Fake, tap: TapInfo, head: Head, key: number, quantity: string): Float32Array => {
    const every = Math.max(1, Math.floor(tap.rows / 512));
    return Float32Array.from({ length: tap.rows }, (_, query) =>
      query % every ? NaN : (rowOf(fake, tap, head, query, quantity)[key] as number),
    );
  };

  return {
    abilities: { trace: true, ablate: true, export: true, explain: false, open: false },
    offer: () => Promise.resolve({ cached: [], download: false }),
    openModel: (name) => Promise.reject(new Error(`There is no model ${name} here.`)),
    openFile: () => Promise.reject(new Error("There is no server here that reads a trace.")),
    async models() {
      return [
        { name: "en-de", task: "translation", description: "English to German, a Transformer of 2017", example: EXAMPLE, max_tokens: 512 },
        { name: "en-hi", task: "translation", description: "English to Hindi", example: "A dog runs .", max_tokens: 512 },
      ];
    },
    async traces() {
      return [...opened.values()].map(({ info }) => ({ id: info.id, model: info.model, text: info.text }));
    },
    async trace(request) {
      if (!request.text.trim()) throw new Error("The text is empty; write a sentence to trace.");
      const info = describe(request);
      if (!opened.has(info.id)) opened.set(info.id, { info, rows: new Map(), off: null });
      return info;
    },
    async opened(id) {
      return get(id).info;
    },
    async summary(id, name) {
      const fake = get(id);
      const tap = tapOf(fake, name);
      const every = Math.max(1, Math.floor(tap.rows / 64));
      const queries = Array.from({ length: Math.ceil(tap.rows / every) }, (_, i) => i * every);
      const heads = Array.from({ length: tap.heads }, (_, head): HeadInfo => {
        let [entropy, distance, sink] = [0, 0, 0];
        for (const query of queries) {
          rowOf(fake, tap, head, query, "weight").forEach((weight, key) => {
            if (!(weight > 0)) return;
            entropy -= weight * Math.log2(weight);
            distance += weight * Math.abs(query - key);
            if (key === 0) sink += weight;
          });
        }
        const n = queries.length;
        return {
          head,
          entropy: entropy / n,
          distance: tap.kind === "cross" ? null : distance / n,
          sink_key: 0,
          sink: sink / n,
          mostly_sink: sink / n > 0.4,
          patterns: [],
          pattern: null,
        };
      });
      return { tap: name, rows: queries.length, of: tap.rows, sink_key: 0, sink: heads.reduce((sum, each) => sum + each.sink, 0) / heads.length, heads };
    },
    async thumbnails(id, name, size) {
      const fake = get(id);
      const tap = tapOf(fake, name);
      const maps = Array.from({ length: tap.heads }, (_, head) =>
        thumbnail(tap.rows, tap.columns, size, (query) => rowOf(fake, tap, head, query, "weight")),
      );
      const { height, width } = maps[0] as Tile;
      const values = new Float32Array(tap.heads * height * width);
      maps.forEach((map, head) => values.set(map.values, head * height * width));
      return { values, heads: tap.heads, height, width };
    },
    async tile(id: string, request: TileRequest) {
      const fake = get(id);
      const tap = tapOf(fake, request.tap);
      const row = (query: number) => rowOf(fake, tap, request.head, query, request.quantity);
      const { queries, keys } = lines(fake.info, tap, request.group);
      return reduced(request, queries, keys, row);
    },
    async cell(id, name, head, query, key): Promise<Cell> {
      const fake = get(id);
      const tap = tapOf(fake, name);
      const one = head === "mean" ? 0 : head;
      const queryVector = vector(fake, tap, one, query, true);
      const keyVector = vector(fake, tap, one, key, false);
      const row = scores(fake, tap, one, query);
      const weights = rowOf(fake, tap, one, query, "weight");
      const queryAxis = fake.info.axes[tap.queries] as AxisInfo;
      const keyAxis = fake.info.axes[tap.keys] as AxisInfo;
      const looks = largest(keyAxis, weights, 8);
      const product = dot(queryVector, keyVector);
      const allowed = !(tap.causal && key > query);
      const weight = allowed ? (weights[key] as number) : 0;
      return {
        tap: name,
        head: one,
        query,
        key,
        query_token: queryAxis.tokens[query] ?? "",
        key_token: keyAxis.tokens[key] ?? "",
        query_vector: [...queryVector],
        key_vector: [...keyVector],
        value_vector: Array.from({ length: WIDTH }, (_, i) => noise(one, key, i)),
        dot: product,
        scale: 1 / Math.sqrt(WIDTH),
        score: product / Math.sqrt(WIDTH),
        bias: null,
        allowed,
        lse: logSumExp(row),
        weight,
        value_norm: valueNorm(tap, one, key),
        norm: weight * valueNorm(tap, one, key),
        row: looks.looks,
        row_rest: looks.rest,
        row_entropy: weights.reduce((sum, each) => (each > 0 ? sum - each * Math.log2(each) : sum), 0),
        column: largest(queryAxis, columnOf(fake, tap, one, key, "weight"), 8).looks,
      };
    },
    async looks(id, { tap: name, head, query, key, k, quantity }) {
      const fake = get(id);
      const tap = tapOf(fake, name);
      if (query !== undefined) return largest(fake.info.axes[tap.keys] as AxisInfo, rowOf(fake, tap, head, query, quantity), k);
      return largest(fake.info.axes[tap.queries] as AxisInfo, columnOf(fake, tap, head, key ?? 0, quantity), k);
    },
    async ablate(id, request: AblationRequest) {
      const fake = get(id);
      const tap = tapOf(fake, request.tap);
      const step = fake.info.generation?.steps[request.step ?? 0];
      const before = step?.probability ?? 0.8;
      const weight = rowOf(fake, tap, request.head, request.query, "weight")[request.key] ?? 0;
      const harm = { edge: 0.5 * weight, head: 0.2 + 0.1 * noise(request.head, 5), token: 0.6 }[request.what];
      const after = Math.max(0.02, before - harm);
      const candidates = step?.candidates ?? [];
      const rest = (1 - after) / Math.max(1e-9, 1 - before);
      return {
        what: request.what,
        step: request.step ?? 0,
        token: step?.token ?? "",
        before,
        after,
        delta: after - before,
        candidates_before: candidates,
        candidates_after: candidates.map((each, i) => ({ ...each, probability: i ? each.probability * rest : after })),
        note: `${request.what} of ${request.tap}, head ${request.head}, set to zero`,
      };
    },
    reliance: (id) => Promise.resolve((get(id).info.axes["source"]?.words ?? []).map(([first, end]) => ({ first, end, change: -first }))),
    lens: () => Promise.reject(new Error("The invented source has no model.")),
    attribution: () => Promise.reject(new Error("The invented source has no model.")),
    measures: () => Promise.reject(new Error("The invented source has no model.")),
    explain: () => Promise.reject(new Error("The invented source has no word vectors; run `regard studio`.")),
    inside: () => Promise.reject(new Error("The invented source has no model; run `regard studio`.")),
    next: () => Promise.reject(new Error("The invented source has no model; run `regard studio`.")),
    download: () => Promise.reject(new Error("The invented source has no files.")),
    exportUrl: (id, kind, query) => `/api/traces/${id}/${kind}?${new URLSearchParams(query)}`,
  };
}
