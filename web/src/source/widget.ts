/** Answers from a notebook's kernel, as messages of an anywidget.
 *
 * The page sends   {id: number, path: string, body: object | null}   or   {id: number, cancel: true}.
 * `path` is the HTTP API's after `/api`, query included ("/traces/ab12/tile?column=0&group=token&…");
 * a `body` means POST. The kernel answers each id that was not cancelled, once, with one of
 *   {id, json: …}
 *   {id, shape: [256, 256]}   and one buffer: float32, little-endian, row-major
 *   {id, detail: "one sentence"}   where it cannot. */
import type { Abilities, Source } from "../source";
import { sourceOver, type Binary, type Transport } from "./requests";

/** What this module needs of an anywidget model. */
export interface WidgetModel {
  get(name: string): unknown;
  send(content: unknown): void;
  on(event: "msg:custom", callback: (content: unknown, buffers: DataView[]) => void): void;
  off(event: "msg:custom", callback: (content: unknown, buffers: DataView[]) => void): void;
}

interface Answer {
  id: number;
  json?: unknown;
  shape?: number[];
  detail?: string;
}
interface Waiting {
  resolve(answer: { json: unknown; binary: Binary | null }): void;
  reject(error: Error): void;
}

let count = 0; // over all widgets of a notebook, for one kernel model may be shown in several cells

export function widgetSource(model: WidgetModel, abilities: Abilities): Source & { close(): void } {
  const waiting = new Map<number, Waiting>();

  const receive = (content: unknown, buffers: DataView[]) => {
    const answer = content as Answer;
    const asked = waiting.get(answer.id);
    if (!asked) return;
    waiting.delete(answer.id);
    if (typeof answer.detail === "string") asked.reject(new Error(answer.detail));
    else asked.resolve({ json: answer.json, binary: answer.shape ? unpack(answer.shape, buffers[0]) : null });
  };
  model.on("msg:custom", receive);

  const send = (path: string, body: object | null, signal?: AbortSignal) =>
    new Promise<{ json: unknown; binary: Binary | null }>((resolve, reject) => {
      const id = ++count;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        model.send({ id, cancel: true });
        reject(new DOMException("No longer needed.", "AbortError"));
      });
      model.send({ id, path, body });
    });

  const transport: Transport = {
    json: async (path, body, signal) => (await send(path, body, signal)).json,
    async binary(path, signal) {
      const { binary } = await send(path, null, signal);
      if (!binary) throw new Error("The kernel's answer contains no numbers; run the cell again.");
      return binary;
    },
  };
  return { ...sourceOver(transport, abilities), close: () => model.off("msg:custom", receive) };
}

/** Copied, since a buffer need not start where a float may. */
function unpack(shape: number[], buffer: DataView | undefined): Binary {
  if (!buffer) return { shape, values: new Float32Array() };
  const bytes = buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
  return { shape, values: new Float32Array(bytes as ArrayBuffer) };
}
