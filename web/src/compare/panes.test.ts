import { describe, expect, it } from "vitest";
import { recordedSource, traces } from "../../tests/recorded";
import type { Source, TraceInfo } from "../source";
import type { Pane } from "../state";
import { sayIn } from "../words/words";
import { commonEnds, differing, oneShape, sameTokens, whyNoDifference } from "./panes";

const source: Source = recordedSource();
const [dog, cat, rain] = traces as [TraceInfo, TraceInfo, TraceInfo];
const pane = (trace: TraceInfo, name: string, head: Pane["head"]): Pane => ({ trace, tap: trace.taps.find((tap) => tap.name === name)!, head });

describe("a comparison", () => {
  it("names what differs", () => {
    const [one, other] = [dog, { ...cat, model: "en-hi" }];
    const first = pane(one, "encoder.layers.1.self", 0);
    expect(differing(first, first)).toEqual([]);
    expect(differing(first, pane(other, "encoder.layers.2.self", 3))).toEqual(["model", "text", "layer", "head"]);
  });
  it("knows maps of one shape, and the same tokens from others", () => {
    const [one, other] = [dog, cat];
    const [first, second] = [pane(one, "encoder.layers.0.self", 0), pane(other, "encoder.layers.0.self", 0)];
    expect(oneShape(first, second)).toBe(true);
    expect(sameTokens(first, second)).toBe(false);
    expect(sameTokens(first, pane(one, "encoder.layers.2.self", 1))).toBe(true);
    expect(whyNoDifference(sayIn("en"), first, second)).toBeNull();
  });
  it("says why there is no difference to show", () => {
    const [one, other] = [dog, rain];
    const why = whyNoDifference(sayIn("en"), pane(one, "encoder.layers.0.self", 0), pane(other, "encoder.layers.0.self", 0));
    expect(why).toContain("8 × 8 and 5 × 5 cells");
  });
  it("has one color scale, up to the largest weight of both", async () => {
    const trace = dog;
    const panes = [0, 1].map((head) => pane(trace, "encoder.layers.0.self", head));
    const [low, high] = (await commonEnds(source, panes, "weight"))!;
    const request = { tap: "encoder.layers.0.self", level: 0, row: 0, column: 0, height: 9, width: 9, quantity: "weight", reduce: "max", group: "token", every: 1 } as const;
    const tiles = await Promise.all([0, 1].map((head) => source.tile(trace.id, { ...request, head })));
    expect(low).toBe(0);
    expect(high).toBe(Math.max(...tiles.flatMap((tile) => [...tile.values])));
  });
});
