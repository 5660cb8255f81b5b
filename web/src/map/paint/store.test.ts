import { describe, expect, test, vi } from "vitest";
import type { Tile } from "../../source";
import { IN_FLIGHT, partOf, TileStore, type Part } from "./store";

const SHAPE = { rows: 5000, columns: 3001 };
const want = (column: number, every = 1, level = 0) => ({ level, row: 0, column, every });
const settled = () => new Promise((done) => setTimeout(done));

/** A source whose answers come when the test says so. */
function slow() {
  const asked: { part: Part; signal: AbortSignal; answer(value?: number): void; fail(message: string): void }[] = [];
  const fetch = (part: Part, signal: AbortSignal) =>
    new Promise<Tile>((resolve, reject) => {
      const answer = (value = 0.5) =>
        resolve({ values: new Float32Array(part.height * part.width).fill(value), height: part.height, width: part.width });
      asked.push({ part, signal, answer, fail: (message) => reject(new Error(message)) });
    });
  return { asked, fetch };
}

describe("requests", () => {
  test("no more than four are under way, in the order of wanting", async () => {
    const { asked, fetch } = slow();
    const store = new TileStore(() => undefined);
    const layer = store.layer("a", SHAPE, fetch);
    store.want(layer, [3, 1, 4, 0, 5, 9].map((column) => want(column)));
    expect(asked.map(({ part }) => part.column / 256)).toEqual([3, 1, 4, 0]);
    expect(store.pending).toBe(IN_FLIGHT);
    asked[0]!.answer();
    await settled();
    expect(asked.length).toBe(5);
    expect(store.get(layer, 0, 0, 3)?.values[0]).toBe(0.5);
  });

  test("those no longer wanted are cancelled, and what they bring is dropped", async () => {
    const { asked, fetch } = slow();
    const store = new TileStore(() => undefined);
    const layer = store.layer("a", SHAPE, fetch);
    store.want(layer, [want(1), want(2)]);
    store.want(layer, [want(2), want(3)]);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
    asked[0]!.answer();
    await settled();
    expect(store.get(layer, 0, 0, 1)).toBeUndefined();
  });

  test("a preview gives way to the exact tile, and never the other way round", async () => {
    const { asked, fetch } = slow();
    const store = new TileStore(() => undefined);
    const layer = store.layer("a", SHAPE, fetch);
    store.want(layer, [want(0, 8, 4), want(0, 1, 4)]);
    asked[1]!.answer(0.9);
    await settled();
    asked[0]!.answer(0.1);
    await settled();
    expect(store.get(layer, 4, 0, 0)).toMatchObject({ every: 1 });
    expect(store.get(layer, 4, 0, 0)!.values[0]).toBeCloseTo(0.9);
  });

  test("a failure is reported, and not asked for again at once", async () => {
    vi.useFakeTimers();
    const { asked, fetch } = slow();
    const changed = vi.fn();
    const store = new TileStore(changed);
    const layer = store.layer("a", SHAPE, fetch);
    store.want(layer, [want(0)]);
    asked[0]!.fail("the server went away");
    await vi.advanceTimersByTimeAsync(10);
    expect(store.refusal(layer, 0, 0, 0)).toBe("the server went away");
    store.want(layer, [want(0)]);
    expect(asked.length).toBe(1);
    await vi.advanceTimersByTimeAsync(2100);
    expect(changed).toHaveBeenCalledTimes(2);
    store.want(layer, [want(0)]);
    expect(asked.length).toBe(2);
    vi.useRealTimers();
  });

  test("tiles at the map's ends are cut", () => {
    expect(partOf({ level: 2, row: 4, column: 2, every: 4 }, SHAPE)).toEqual({
      level: 2, row: 1024, column: 512, height: 1250 - 1024, width: 751 - 512, every: 4,
    });
  });
});

describe("what is kept", () => {
  const quick = async (part: Part): Promise<Tile> => ({
    values: new Float32Array(part.height * part.width).fill(part.column / 256 / 10), height: part.height, width: part.width,
  });

  test("is bounded, and what was looked at last stays", async () => {
    const store = new TileStore(() => undefined, 3);
    const layer = store.layer("a", SHAPE, quick);
    for (const column of [0, 1, 2]) {
      store.want(layer, [want(column)]);
      await settled();
    }
    store.get(layer, 0, 0, 0);
    store.want(layer, [want(3)]);
    await settled();
    expect([0, 1, 2, 3].map((column) => store.get(layer, 0, 0, column) !== undefined)).toEqual([true, false, true, true]);
  });

  test("another head's tiles are still there on the way back", async () => {
    const store = new TileStore(() => undefined);
    const layer = store.layer("head 1", SHAPE, quick);
    store.want(layer, [want(0)]);
    await settled();
    store.want(store.layer("head 2", SHAPE, quick), [want(0)]);
    await settled();
    expect(store.layer("head 1", SHAPE, quick).entries.size).toBe(1);
  });

  test("extremes are known of every level", async () => {
    const store = new TileStore(() => undefined);
    const layer = store.layer("a", SHAPE, async (part) => {
      const values = new Float32Array(part.height * part.width).fill(0.125);
      values[3] = 0.75;
      return { values, height: part.height, width: part.width };
    });
    store.want(layer, [want(0, 1, 2)]);
    await settled();
    expect(layer.extents[2]).toEqual({ low: 0.125, high: 0.75 });
  });
});
