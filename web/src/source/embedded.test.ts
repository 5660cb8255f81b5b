import { expect, test } from "vitest";
import { cells, kept, tiles, traces } from "../../tests/recorded";
import type { Head, TapInfo, TileRequest } from "../source";
import { embeddedSource } from "./embedded";

const file = embeddedSource(kept);
const { trace } = kept;
const tap = trace.taps.find((each) => each.name === "decoder.layers.1.self") as TapInfo;
const whole = (head: Head): TileRequest => ({
  tap: tap.name, head, level: 0, row: 0, column: 0, height: 1024, width: 1024, quantity: "weight", reduce: "max", group: "token", every: 1,
});
const numbers = (base64: string) => new Float32Array(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)).buffer);

test.each(tiles)("$asked, as the server makes it", async ({ asked, answer }) => {
  const query = Object.fromEntries(new URLSearchParams(asked.split("?")[1])) as unknown as TileRequest;
  const count = (name: "level" | "row" | "column" | "height" | "width") => Number(query[name] ?? whole(0)[name]);
  const head = String(query.head) === "mean" ? "mean" : Number(query.head);
  const [level, row, column, height, width] = [count("level"), count("row"), count("column"), count("height"), count("width")];
  const made = await file.tile(trace.id, { ...whole(0), ...query, head, level, row, column, height, width });
  expect([made.height, made.width]).toEqual(answer.shape);
  numbers(answer.f32).forEach((value, i) => (Number.isNaN(value) ? expect(made.values[i]).toBeNaN() : expect(made.values[i]).toBeCloseTo(value, 4)));
});

test.each(cells)("the equation of query $query and key $key, as the server makes it", async (theirs) => {
  const mine = await file.cell(trace.id, tap.name, 1, theirs.query, theirs.key);
  expect([mine.allowed, mine.query_token, mine.key_token]).toEqual([theirs.allowed, theirs.query_token, theirs.key_token]);
  for (const name of ["dot", "lse", "weight", "norm", "row_entropy"] as const) expect(mine[name], name).toBeCloseTo(theirs[name] as number, 3);
  if (theirs.allowed) expect(mine.score).toBeCloseTo(theirs.score as number, 3);
  expect(mine.row.map((each) => each.position)).toEqual(theirs.row.map((each) => each.position));
  expect(mine.column.map((each) => each.position)).toEqual(theirs.column.map((each) => each.position));
});

test("what the file says of the trace is what the server says", () => {
  expect({ ...kept.trace, can_ablate: true, can_rewrite: true, by_text: true }).toEqual({ ...traces[0], by_text: true });
});

test("looks along a row leave the rest of its weight", async () => {
  const { looks, rest } = await file.looks(trace.id, { tap: tap.name, head: 0, query: 6, k: 3, quantity: "weight" });
  expect(looks).toHaveLength(3);
  expect(looks.reduce((sum, each) => sum + each.weight, rest)).toBeCloseTo(1, 5);
});

test("a stored answer is used before one is made", async () => {
  const key = `looks?head=0&k=3&quantity=weight&query=6&tap=${tap.name}`;
  const stored = { looks: [], rest: 0.125 };
  const other = embeddedSource({ ...kept, answers: { ...kept.answers, [key]: stored } });
  expect(await other.looks(trace.id, { tap: tap.name, head: 0, query: 6, k: 3, quantity: "weight" })).toEqual(stored);
});

test("what the file left out is said, not drawn", async () => {
  await expect(file.tile(trace.id, { ...whole(1), tap: "encoder.layers.1.self" })).rejects.toThrow("not in this file");
  await expect(file.trace({ model: "en-de", text: "another" })).rejects.toThrow("regard look");
});

test("the mean over heads has no equation", async () => {
  await expect(file.cell(trace.id, tap.name, "mean", 1, 0)).rejects.toThrow("are those of one head; choose 0 to");
});

test("a preview of a tile that is kept whole is that tile", async () => {
  const request = { ...whole(0), level: 3, height: 2, width: 2 };
  const key = `tile?column=0&every=1&group=token&head=0&height=2&level=3&quantity=weight&reduce=max&row=0&tap=${tap.name}&width=2`;
  const values = Float32Array.of(0.5, NaN, 0.25, 0.125);
  const long = embeddedSource({ trace, answers: { [key]: { shape: [2, 2], f32: btoa(String.fromCharCode(...new Uint8Array(values.buffer))) } }, left_out: [] });
  expect((await long.tile(trace.id, { ...request, every: 8 })).values).toEqual(values);
  await expect(long.tile(trace.id, { ...request, head: 1, every: 8 })).rejects.toThrow("is not in this file");
});
