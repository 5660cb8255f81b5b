import { describe, expect, test } from "vitest";
import { positions } from "./geometry/positions";
import { sinkOf } from "./sink";

describe("the sink", () => {
  const heads = [{ head: 0, sink: 0.6, sink_key: 2 }, { head: 1, sink: 0.45, sink_key: 0 }, { head: 2, sink: 0.29, sink_key: 1 }];
  const summary = { sink_key: 2, sink: 0.4, rows: 64, of: 900, heads } as never;
  const axis = { tokens: ["a", "b", "c"], predicts: null, words: [[0, 1], [1, 3]] as [number, number][], sentences: null, prompt: 0 };
  const keys = positions(axis, "text", 3, "token");
  test("is each head's own, and that of the mean over heads", () => {
    expect(sinkOf(summary, 0, keys)).toEqual({ position: 2, label: "c", mass: 0.6, rows: 64, of: 900 });
    expect(sinkOf(summary, 1, keys)).toMatchObject({ position: 0, mass: 0.45 });
    expect(sinkOf(summary, "mean", keys)).toMatchObject({ position: 2, mass: 0.4 });
  });
  test("there is no sink where no column takes more than three tenths", () => {
    expect(sinkOf(summary, 2, keys)).toMatchObject({ position: -1, mass: 0.29 });
  });
  test("is found in its group", () => {
    expect(sinkOf(summary, 0, positions(axis, "text", 3, "word")).position).toBe(1);
  });
});
