import { expect, test } from "vitest";
import type { HeadInfo, Summary, TapInfo } from "../source";
import { landing, tellingHead } from "./landing";

const tap = (name: string) => ({ name, columns: 16 }) as TapInfo;
const layer = (name: string, heads: Omit<HeadInfo, "head" | "sink_key" | "mostly_sink" | "patterns">[]) => ({
  tap: tap(name),
  summary: { heads: heads.map((each, head) => ({ ...each, head, sink_key: 0, mostly_sink: each.sink > 0.5 })) } as unknown as Summary,
});

test("a decided head beats sinks, blurs, the diagonal and the previous token", () => {
  const found = tellingHead([
    layer("one", [
      { entropy: 0.1, distance: 7, sink: 0.95, pattern: "first" }, // a sink
      { entropy: 3.9, distance: 5, sink: 0.08, pattern: null }, // a blur
      { entropy: 0.05, distance: 0.1, sink: 0.1, pattern: "same" }, // each token itself
      { entropy: 0.1, distance: 1.1, sink: 0.1, pattern: "previous" }, // the previous token
    ]),
    layer("two", [{ entropy: 1.5, distance: 4, sink: 0.2, pattern: null }, { entropy: 2.5, distance: 4, sink: 0.2, pattern: null }]),
  ]);
  expect([found?.tap.name, found?.head]).toEqual(["two", 0]);
  expect(tellingHead([])).toBeNull();
});

test("a head of the previous token is known by its name, whatever a few far looks make of its mean distance", () => {
  const previous = { entropy: 0.4, distance: 1.9, sink: 0.06, pattern: "previous" as const };
  const far = { entropy: 2.2, distance: 9, sink: 0.2, pattern: null };
  const wide = { ...layer("one", [previous, far]), tap: { name: "one", columns: 64 } as TapInfo };
  expect(tellingHead([wide])?.head).toBe(1);
});

test("translators open with ribbons, other texts with lines, images with the map", () => {
  expect(landing("translation")).toEqual({ view: "translation", head: "mean" });
  expect(landing("generation").view).toBe("flow");
  expect(landing("vision")).toEqual({});
});
