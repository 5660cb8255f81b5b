/** Answers from `regard studio` or `regard look`, over HTTP on this machine. */
import type { Source, TraceInfo, TraceRequest, Working } from "../source";
import { connection, UNREACHABLE } from "./connection";
import { pathOf, sourceOver, type Transport } from "./requests";

const FILES = { npz: "export.npz", html: "export.html" };

const BYTES = { "Content-Type": "application/octet-stream" };

export function httpSource(base = "/api"): Source {
  const way = connection(() => fetch(`${base}/working`).then((response) => response.ok, () => false));
  const answered = async (url: string, init: RequestInit) => {
    try {
      return await asked(url, init);
    } catch (error) {
      if (error instanceof Error && error.message === UNREACHABLE) way.fail();
      throw error;
    }
  };
  const transport: Transport = reviving({
    async json(path, body, signal) {
      const post = body
        ? { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }
        : {};
      return (await answered(base + path, { ...post, signal: signal ?? null })).json();
    },
    async binary(path, signal) {
      const response = await answered(base + path, { signal: signal ?? null });
      const shape = (response.headers.get("X-Regard-Shape") ?? "").split(",").map(Number);
      return { shape, values: new Float32Array(await response.arrayBuffer()) };
    },
  });
  return sourceOver(transport, { trace: true, ablate: true, export: true, explain: true, open: true, why: true }, {
    connection: way,
    between: (id, request, signal) => transport.json(pathOf(`/traces/${encodeURIComponent(id)}/between`, request), null, signal) as ReturnType<NonNullable<Source["between"]>>,
    working: (signal) => transport.json("/working", null, signal) as Promise<Working | null>,
    exportUrl: (id, kind, query) => base + pathOf(`/traces/${encodeURIComponent(id)}/${FILES[kind]}`, query),
    download: async (url) => (await answered(url, {})).blob(),
    openFile: async (file) => (await answered(`${base}/files`, { method: "POST", body: file, headers: BYTES })).json(),
  });
}

/** The response if it is one of success, else an error with the server's sentence. */
async function asked(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error(UNREACHABLE);
  }
  if (response.ok) return response;
  const said: unknown = await response.json().catch(() => null);
  const detail = said && typeof said === "object" && "detail" in said ? said.detail : null;
  throw new Refused(typeof detail === "string" ? detail : `The server answered ${response.status}; try again.`, response.status);
}

/** The server's refusal, with HTTP's number for it. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const GONE = 404;

/** Remembers what each trace was asked with, and asks again where an answer needs a trace that is gone. */
export function reviving(transport: Transport): Transport {
  const requests = new Map<string, object>();
  const underWay = new Map<string, Promise<boolean>>();

  /** True if the server has the trace again, under the same id. */
  const again = (id: string) => {
    const known = underWay.get(id);
    if (known) return known;
    const asked = requests.get(id);
    const work = (async () => asked !== undefined && ((await transport.json("/traces", asked)) as TraceInfo).id === id)();
    const settled = work.catch(() => false).finally(() => underWay.delete(id));
    underWay.set(id, settled);
    return settled;
  };
  const twice = async <T>(path: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      const id = /^\/traces\/([^/?]+)/.exec(path)?.[1];
      if (!(error instanceof Refused) || error.status !== GONE || !id) throw error;
      if (!(await again(decodeURIComponent(id)))) throw error;
      return ask();
    }
  };
  const remember = (path: string, body: object | null, answer: unknown) => {
    const trace = answer as Partial<TraceInfo> | null;
    if (path === "/traces" && body && trace?.id) requests.set(trace.id, body);
    else if (trace?.by_text && /^\/traces\/[^/?]+$/.test(path) && trace.id && trace.model !== undefined && trace.text !== undefined) {
      const plain: TraceRequest = { model: trace.model, text: trace.text };
      requests.set(trace.id, plain);
    }
  };
  return {
    async json(path, body, signal) {
      const answer = await twice(path, () => transport.json(path, body, signal));
      remember(path, body, answer);
      return answer;
    },
    binary: (path, signal) => twice(path, () => transport.binary(path, signal)),
  };
}
