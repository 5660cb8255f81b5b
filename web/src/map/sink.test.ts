import { describe, expect, test } from "vitest";
import { positions } from "./geometry/positions";
import { sinkOf } from "./sink";

describe("the sink", () => {
  const heads = [{ head: 0, sink: 0.6 }, { head: 1, sink: 0.2 }];
  const summary = { sink_key: 2, rows: 64, of: 900, heads } as never;
  const axis = { tokens: ["a", "b", "c"], predicts: null, words: [[0, 1], [1, 3]] as [number, number][], sentences: null, prompt: 0 };
  test("takes its head's mass, or the mean over heads", () => {
    const keys = positions(axis, "text", 3, "token");
    expect(sinkOf(summary, 1, keys)).toEqual({ position: 2, label: "c", mass: 0.2, rows: 64, of: 900 });
    expect(sinkOf(summary, "mean", keys).mass).toBeCloseTo(0.4);
  });
  test("is found in its group", () => {
    expect(sinkOf(summary, 0, positions(axis, "text", 3, "word")).position).toBe(1);
  });
});
