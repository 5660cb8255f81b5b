import { expect, test } from "vitest";
import fixture from "../../../tests/fixtures/tiles.json";
import type { TileRequest } from "../source";
import type { Span } from "../weights/units";
import { reduced } from "./cells";

const WHOLE: TileRequest = {
  tap: "map", head: 0, level: 0, row: 0, column: 0, height: 256, width: 256,
  quantity: "weight", reduce: "max", group: "token", every: 1,
};
const single = (count: number): Span[] => Array.from({ length: count }, (_, i) => ({ first: i, end: i + 1 }));
const words = (all: number[][]): Span[] => all.map(([first = 0, end = 0]) => ({ first, end }));
const numbers = (row: readonly (number | null)[]) => Float32Array.from(row, (value) => value ?? NaN);

test.each(fixture.tiles)("$name, as the server makes it", ({ request, values }) => {
  const asked = { ...WHOLE, ...request } as TileRequest;
  const [queries, keys] =
    asked.group === "word" ? [words(fixture.query_words), words(fixture.key_words)] : [single(5), single(7)];
  const made = reduced(asked, queries, keys, (query) => numbers(fixture.weights[query]!));
  expect([made.height, made.width]).toEqual([values.length, values[0]!.length]);
  values.flat().forEach((value, cell) => {
    if (value === null) expect(made.values[cell]).toBeNaN();
    else expect(made.values[cell]).toBeCloseTo(value, 6);
  });
});
