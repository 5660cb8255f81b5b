/** Answers from `regard studio` or `regard look`, over HTTP on this machine. */
import type { Source, Working } from "../source";
import { connection, UNREACHABLE } from "./connection";
import { Refused, reviving } from "./revive";
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
  const source = sourceOver(
    transport,
    { trace: true, ablate: true, export: true, explain: true, open: true, why: true },
    (id, kind, query) => base + pathOf(`/traces/${encodeURIComponent(id)}/${FILES[kind]}`, query),
    async (url) => (await answered(url, {})).blob(),
    async (file) => (await answered(`${base}/files`, { method: "POST", body: file, headers: BYTES })).json(),
  );
  return { ...source, connection: way, working: (signal) => transport.json("/working", null, signal) as Promise<Working | null> };
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
