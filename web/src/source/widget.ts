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

/** Part of an anywidget model that this module needs. */
export interface WidgetModel {
  get(name: string): unknown;
  send(content: unknown): void;
  on(event: ModelEvent, callback: (content: unknown, buffers: DataView[]) => void): void;
  off(event: ModelEvent, callback: (content: unknown, buffers: DataView[]) => void): void;
}
/** A message of the kernel's; or a change of whether there is one, which comes when it has gone. */
type ModelEvent = "msg:custom" | "comm_live_update";

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

const GONE = "The kernel that has this trace was restarted or shut down; run the cell again.";

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
  let gone = false;
  const end = () => {
    gone = true;
    for (const { reject } of waiting.values()) reject(new Error(GONE));
    waiting.clear();
  };
  model.on("msg:custom", receive);
  model.on("comm_live_update", end);

  const send = (path: string, body: object | null, signal?: AbortSignal) =>
    new Promise<{ json: unknown; binary: Binary | null }>((resolve, reject) => {
      if (gone) return reject(new Error(GONE));
      const id = ++count;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        model.send({ id, cancel: true });
        reject(new DOMException("No longer needed.", "AbortError"));
      });
      try {
        model.send({ id, path, body });
      } catch {
        end(); // JupyterLab refuses to send to a kernel that was shut down
      }
    });

  const transport: Transport = {
    json: async (path, body, signal) => (await send(path, body, signal)).json,
    async binary(path, signal) {
      const { binary } = await send(path, null, signal);
      if (!binary) throw new Error("The kernel's answer contains no numbers; run the cell again.");
      return binary;
    },
  };
  const close = () => {
    model.off("msg:custom", receive);
    model.off("comm_live_update", end);
  };
  return { ...sourceOver(transport, abilities), close };
}

/** Copied, since a buffer need not start where a float may. */
function unpack(shape: number[], buffer: DataView | undefined): Binary {
  if (!buffer) return { shape, values: new Float32Array() };
  const bytes = buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
  return { shape, values: new Float32Array(bytes as ArrayBuffer) };
}
