import { expect, test } from "vitest";
import fixture from "../../../tests/fixtures/tiles.json";
import type { TileRequest } from "../source";
import { reduced, type Spans } from "./cells";

const WHOLE: TileRequest = {
  tap: "map", head: 0, level: 0, row: 0, column: 0, height: 256, width: 256,
  quantity: "weight", reduce: "max", group: "token", every: 1,
};
const single = (count: number): Spans => Array.from({ length: count }, (_, i) => [i, i + 1]);
const numbers = (row: readonly (number | null)[]) => Float32Array.from(row, (value) => value ?? NaN);

test.each(fixture.tiles)("$name, as the server makes it", ({ request, values }) => {
  const asked = { ...WHOLE, ...request } as TileRequest;
  const [queries, keys] =
    asked.group === "word" ? [fixture.query_words as Spans, fixture.key_words as Spans] : [single(5), single(7)];
  const made = reduced(asked, queries, keys, (query) => numbers(fixture.weights[query]!));
  expect([made.height, made.width]).toEqual([values.length, values[0]!.length]);
  values.flat().forEach((value, cell) => {
    if (value === null) expect(made.values[cell]).toBeNaN();
    else expect(made.values[cell]).toBeCloseTo(value, 6);
  });
});
