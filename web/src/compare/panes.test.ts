import { describe, expect, it } from "vitest";
import { fakeSource } from "../source/fake";
import type { Source, TraceInfo } from "../source";
import type { Pane } from "./panes";
import { commonEnds, differing, nextHeadOf, oneShape, paneOf, placedIn, sameTokens, whyNoDifference } from "./panes";

const source: Source = fakeSource();
const traced = (text: string, model = "en-de") => source.trace({ model, text });
const pane = (trace: TraceInfo, name: string, head: Pane["head"]): Pane => ({ trace, tap: trace.taps.find((tap) => tap.name === name)!, head });

describe("a comparison", () => {
  it("opens with the next head, after the last with their mean, then with the first", async () => {
    const trace = await traced("A dog runs .");
    const heads = ([0, 2, 3, "mean"] as const).map((head) => nextHeadOf(pane(trace, "encoder.layers.1.self", head)).head);
    expect(heads).toEqual([1, 3, "mean", 0]);
  });
  it("names what differs", async () => {
    const [one, other] = [await traced("A dog runs ."), await traced("A cat runs .", "en-hi")];
    const first = pane(one, "encoder.layers.1.self", 0);
    expect(differing(first, first)).toEqual([]);
    expect(differing(first, pane(other, "encoder.layers.2.self", 3))).toEqual(["model", "text", "layer", "head"]);
  });
  it("knows maps of one shape, and the same tokens from others", async () => {
    const [one, other] = [await traced("A dog runs ."), await traced("A cat runs .")];
    const [first, second] = [pane(one, "encoder.layers.0.self", 0), pane(other, "encoder.layers.0.self", 0)];
    expect(oneShape(first, second)).toBe(true);
    expect(sameTokens(first, second)).toBe(false);
    expect(sameTokens(first, pane(one, "encoder.layers.2.self", 1))).toBe(true);
    expect(whyNoDifference(first, second)).toBeNull();
  });
  it("says why there is no difference to show", async () => {
    const [one, other] = [await traced("A dog runs ."), await traced("A dog runs away .")];
    const why = whyNoDifference(pane(one, "encoder.layers.0.self", 0), pane(other, "encoder.layers.0.self", 0));
    expect(why).toContain("5 × 5 and 6 × 6 cells");
  });
  it("finds the same place in another trace, or one of its kind", async () => {
    const [one, other] = [await traced("A dog runs ."), await traced("It rains .")];
    const like = pane(one, "decoder.layers.2.cross", 3);
    expect(placedIn(other, like)).toMatchObject({ tap: "decoder.layers.2.cross", head: 3 });
    const smaller = { ...other, taps: other.taps.filter((tap) => tap.layer === 0).map((tap) => ({ ...tap, heads: 2 })) };
    expect(placedIn(smaller, like)).toMatchObject({ tap: "decoder.layers.0.cross", head: 0 });
    expect(placedIn({ ...other, taps: [] }, like)).toBeNull();
    expect(paneOf({ trace: other, tap: "gone", head: 0 })).toBeNull();
  });
  it("has one color scale, up to the largest weight of both", async () => {
    const trace = await traced("A dog runs .");
    const panes = [0, 1].map((head) => pane(trace, "encoder.layers.0.self", head));
    const [low, high] = (await commonEnds(source, panes, "weight"))!;
    const request = { tap: "encoder.layers.0.self", level: 0, row: 0, column: 0, height: 9, width: 9, quantity: "weight", reduce: "max", group: "token", every: 1 } as const;
    const tiles = await Promise.all([0, 1].map((head) => source.tile(trace.id, { ...request, head })));
    expect(low).toBe(0);
    expect(high).toBe(Math.max(...tiles.flatMap((tile) => [...tile.values])));
  });
});
