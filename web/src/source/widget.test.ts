import { expect, test } from "vitest";
import { widgetSource, type WidgetModel } from "./widget";

const ABILITIES = { trace: false, ablate: true, export: false, explain: false, open: false };

/** A kernel that keeps what it was asked, and answers when asked to. */
function kernel() {
  const asked: { id: number; path?: string; body?: unknown; cancel?: boolean }[] = [];
  type Listener = (content: unknown, buffers: DataView[]) => void;
  const listeners = new Set<Listener>();
  const enders = new Set<Listener>();
  const model: WidgetModel = {
    get: () => null,
    send: (content) => void asked.push(content as (typeof asked)[number]),
    on: (event, callback) => void (event === "msg:custom" ? listeners : enders).add(callback),
    off: (event, callback) => void (event === "msg:custom" ? listeners : enders).delete(callback),
  };
  const answer = (content: object, buffers: DataView[] = []) => listeners.forEach((each) => each(content, buffers));
  const end = () => enders.forEach((each) => each(null, []));
  return { asked, listeners, enders, model, answer, end };
}

test("a tile comes as one buffer, wherever in its memory it starts", async () => {
  const { asked, model, answer } = kernel();
  const source = widgetSource(model, ABILITIES);
  const tile = source.tile("ab", { tap: "t", head: 1, level: 0, row: 0, column: 0, height: 2, width: 3, quantity: "weight", reduce: "max", group: "token", every: 1 });
  expect(asked[0]?.path).toBe("/traces/ab/tile?column=0&every=1&group=token&head=1&height=2&level=0&quantity=weight&reduce=max&row=0&tap=t&width=3");
  const bytes = new Uint8Array(1 + 24);
  bytes.set(new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer), 1);
  answer({ id: asked[0]?.id, shape: [2, 3] }, [new DataView(bytes.buffer, 1)]);
  expect(await tile).toEqual({ values: Float32Array.of(1, 2, 3, 4, 5, 6), height: 2, width: 3 });
});

test("answers find their questions in any order", async () => {
  const { asked, model, answer } = kernel();
  const source = widgetSource(model, ABILITIES);
  const [models, traces] = [source.models(), source.traces()];
  answer({ id: asked[1]?.id, json: [{ id: "ab" }] });
  answer({ id: asked[0]?.id, json: [] });
  expect(await models).toEqual([]);
  expect(await traces).toEqual([{ id: "ab" }]);
});

test("the kernel's sentence is the error's", async () => {
  const { asked, model, answer } = kernel();
  const opened = widgetSource(model, ABILITIES).opened("cd");
  answer({ id: asked[0]?.id, detail: "there is no trace cd." });
  await expect(opened).rejects.toThrow("there is no trace cd.");
});

test("a question that is no longer needed is taken back", async () => {
  const { asked, model, answer } = kernel();
  const abort = new AbortController();
  const summary = widgetSource(model, ABILITIES).summary("ab", "t", abort.signal);
  abort.abort();
  await expect(summary).rejects.toThrow("No longer needed.");
  expect(asked[1]).toEqual({ id: asked[0]?.id, cancel: true });
  answer({ id: asked[0]?.id, json: {} }); // comes too late, and is not waited for
});

test("a closed source listens no longer", () => {
  const { listeners, enders, model } = kernel();
  const source = widgetSource(model, ABILITIES);
  expect([listeners.size, enders.size]).toEqual([1, 1]);
  source.close();
  expect([listeners.size, enders.size]).toEqual([0, 0]);
});

test("a kernel that was restarted is not waited for", async () => {
  const { asked, model, end } = kernel();
  const source = widgetSource(model, ABILITIES);
  const before = source.opened("ab");
  end();
  await expect(before).rejects.toThrow("run the cell again");
  await expect(source.opened("ab")).rejects.toThrow("run the cell again");
  expect(asked.length).toBe(1);
});

test("a kernel that was shut down takes no questions", async () => {
  const { model } = kernel();
  model.send = () => {
    throw new Error("Cannot send");
  };
  await expect(widgetSource(model, ABILITIES).opened("ab")).rejects.toThrow("run the cell again");
});
