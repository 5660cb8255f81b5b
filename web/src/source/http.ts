/** Answers from `regard studio` or `regard look`, over HTTP on this machine. */
import type { Source } from "../source";
import { pathOf, sourceOver, type Transport } from "./requests";

const FILES = { svg: "figure.svg", pdf: "figure.pdf", png: "figure.png", npz: "export.npz", html: "export.html" };

const BYTES = { "Content-Type": "application/octet-stream" };

export function httpSource(base = "/api"): Source {
  const transport: Transport = {
    async json(path, body, signal) {
      const asked = body
        ? { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }
        : {};
      return (await answered(base + path, { ...asked, signal: signal ?? null })).json();
    },
    async binary(path, signal) {
      const response = await answered(base + path, { signal: signal ?? null });
      const shape = (response.headers.get("X-Regard-Shape") ?? "").split(",").map(Number);
      return { shape, values: new Float32Array(await response.arrayBuffer()) };
    },
  };
  return sourceOver(
    transport,
    { trace: true, ablate: true, export: true, explain: true, sample: true, open: true },
    (id, kind, query) => base + pathOf(`/traces/${encodeURIComponent(id)}/${FILES[kind]}`, query),
    async (url) => (await answered(url, {})).blob(),
    async (file) => (await answered(`${base}/files`, { method: "POST", body: file, headers: BYTES })).json(),
  );
}

/** The response if it is one of success, else an error with the server's sentence. */
async function answered(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Error("The server does not respond; check that `regard studio` is still running, then try again.");
  }
  if (response.ok) return response;
  const said: unknown = await response.json().catch(() => null);
  const detail = said && typeof said === "object" && "detail" in said ? said.detail : null;
  throw new Error(typeof detail === "string" ? detail : `The server answered ${response.status}; try again.`);
}
