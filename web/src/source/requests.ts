/** The API's requests over any way of carrying them: HTTP, a notebook's messages, a file's own answers. */
import type { Abilities, Source } from "../source";

type Values = Record<string, string | number | boolean | null | undefined>;

/** Row-major float32 with its shape: a tile is (height, width), thumbnails are (heads, height, width). */
export interface Binary {
  shape: number[];
  values: Float32Array;
}

/** Carries one request; `path` starts after `/api` and its query is sorted by name. */
export interface Transport {
  json(path: string, body: object | null, signal?: AbortSignal): Promise<unknown>;
  binary(path: string, signal?: AbortSignal): Promise<Binary>;
}

/** A path with its query sorted by name, so that equal requests are equal strings. */
export function pathOf(path: string, values: Values = {}): string {
  const query = Object.keys(values)
    .sort()
    .filter((name) => values[name] !== undefined && values[name] !== null)
    .map((name) => `${name}=${encodeURIComponent(String(values[name]))}`);
  return query.length ? `${path}?${query.join("&")}` : path;
}

/** `own`: what this way can besides. */
export function sourceOver(transport: Transport, abilities: Abilities, own: Partial<Source> = {}): Source {
  const at = (id: string, what: string) => `/traces/${encodeURIComponent(id)}/${what}`;
  const json = <T>(path: string, signal?: AbortSignal, body: object | null = null) =>
    transport.json(path, body, signal) as Promise<T>;
  return {
    abilities,
    exportUrl: () => "",
    download: () => Promise.reject(new Error("There is nothing to export from this view.")),
    openFile: () => Promise.reject(new Error("A saved trace is opened with `regard look FILE`.")),
    offer: () => json("/offer"),
    openModel: (model) => json("/models", undefined, { model }),
    models: () => json("/models"),
    traces: () => json("/traces"),
    trace: (request, signal) => json("/traces", signal, request),
    opened: (id, signal) => json(`/traces/${encodeURIComponent(id)}`, signal),
    summary: (id, tap, signal) => json(pathOf(at(id, "summary"), { tap }), signal),
    cell: (id, tap, head, query, key, signal) =>
      json(pathOf(at(id, "cell"), { tap, head, query, key }), signal),
    looks: (id, request, signal) => json(pathOf(at(id, "looks"), request), signal),
    ablate: (id, request, signal) => json(at(id, "ablate"), signal, request),
    reliance: (id, way, signal) => json(pathOf(at(id, "reliance"), { way }), signal),
    lens: (id, step, signal) => json(pathOf(at(id, "lens"), { step }), signal),
    attribution: (id, step, against, signal) => json(pathOf(at(id, "attribution"), { step, against }), signal),
    measures: (id, step, axis, signal) => json(pathOf(at(id, "measures"), { step, axis }), signal),
    explain: (request, signal) => json("/explain", signal, request),
    inside: (request, signal) => json("/inside", signal, request),
    next: (request, signal) => json("/next", signal, request),
    async thumbnails(id, tap, size, signal) {
      const { shape, values } = await transport.binary(pathOf(at(id, "thumbnails"), { tap, size }), signal);
      const [heads = 0, height = 0, width = 0] = shape;
      return { values, heads, height, width };
    },
    async tile(id, request, signal) {
      const { shape, values } = await transport.binary(pathOf(at(id, "tile"), { ...request }), signal);
      const [height = 0, width = 0] = shape;
      return { values, height, width };
    },
    ...own,
  };
}
