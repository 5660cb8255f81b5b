import { expect, test } from "vitest";
import type { Attribution } from "../source";
import { rho, signed, termsOf } from "./terms";

const term = (kind: "embedding" | "head" | "feed_forward" | "bias", value: number, layer: number | null = null, tap: string | null = null, head: number | null = null) => ({ kind, layer, tap, head, value });

const ATTRIBUTION: Attribution = {
  step: 0,
  token: "a",
  against: null,
  logit: 2.5,
  contributions: [
    term("embedding", 0.5),
    term("head", 0.25, 0, "decoder.layers.0.self", 0),
    term("head", -1.5, 0, "decoder.layers.0.self", 1),
    term("head", 1, 0, "decoder.layers.0.cross", 0),
    term("feed_forward", 2, 0),
    term("bias", 0.25),
  ],
};

test("a layer has a row for each attention, and its network on the last", () => {
  const { rows, embedding, bias, largest } = termsOf(ATTRIBUTION);
  expect(rows.map(({ kind, heads, network }) => [kind, heads, network])).toEqual([
    ["self", [0.25, -1.5], null],
    ["cross", [1], 2],
  ]);
  expect([embedding, bias, largest]).toEqual([0.5, 0.25, 2]);
});

test("numbers have signs where signs mean something", () => {
  expect([signed(1.046), signed(-0.318), signed(0.001)]).toEqual(["+1.05", "−0.32", "0"]);
  expect([rho(0.712), rho(-0.05), rho(null)]).toEqual(["0.71", "−0.05", "–"]);
});
