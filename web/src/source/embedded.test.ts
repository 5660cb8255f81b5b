import { beforeAll, expect, test } from "vitest";
import { fakeSource } from "./fake";
import type { Quantity, Source, TapInfo, TileRequest, TraceInfo } from "../source";
import { embeddedSource, type Embedded } from "./embedded";

let live: Source;
let trace: TraceInfo;
let tap: TapInfo;
let kept: Embedded;
let file: Source;

const base64 = (values: Float32Array) =>
  btoa(String.fromCharCode(...new Uint8Array(values.buffer, values.byteOffset, values.byteLength)));
const whole = (quantity: Quantity, head: number | "mean" = 1): TileRequest => ({
  tap: tap.name,
  head,
  level: 0,
  row: 0,
  column: 0,
  height: 1024,
  width: 1024,
  quantity,
  reduce: "max",
  group: "token",
  every: 1,
});

beforeAll(async () => {
  live = fakeSource();
  const text = "Two men are standing at the stove and preparing food . One of them sings .";
  trace = await live.trace({ model: "en-de", text });
  tap = trace.taps.find((each) => each.name === "decoder.layers.1.self") as TapInfo;
  const answers: Embedded["answers"] = { [`scale?tap=${tap.name}`]: 0.25 };
  answers[`summary?tap=${tap.name}`] = await live.summary(trace.id, tap.name);
  const numbers = (shape: number[], values: Float32Array) => ({ shape, f32: base64(values) });
  for (let head = 0; head < tap.heads; head++) {
    const map = await live.tile(trace.id, whole("weight", head));
    answers[`map?head=${head}&quantity=weight&tap=${tap.name}`] = numbers([tap.rows, tap.columns], map.values);
    const row = await Promise.all(Array.from({ length: tap.rows }, (_, i) => live.cell(trace.id, tap.name, head, i, 0)));
    const column = await Promise.all(
      Array.from({ length: tap.columns }, (_, i) => live.cell(trace.id, tap.name, head, 0, i)),
    );
    const flat = [
      ...row.flatMap((cell) => cell.query_vector),
      ...column.flatMap((cell) => cell.key_vector),
      ...column.flatMap((cell) => cell.value_vector),
    ];
    answers[`vectors?head=${head}&tap=${tap.name}`] = numbers([flat.length], new Float32Array(flat));
    answers[`lse?head=${head}&tap=${tap.name}`] = numbers([tap.rows], Float32Array.from(row, (cell) => cell.lse ?? NaN));
    answers[`value_norms?head=${head}&tap=${tap.name}`] = numbers(
      [tap.columns],
      Float32Array.from(column, (cell) => cell.value_norm ?? NaN),
    );
  }
  kept = JSON.parse(JSON.stringify({ trace, answers, left_out: [] })) as Embedded;
  file = embeddedSource(kept);
});

function close(one: ArrayLike<number>, other: ArrayLike<number>) {
  expect(one.length).toBe(other.length);
  for (let i = 0; i < one.length; i++) {
    if (Number.isNaN(other[i])) expect(one[i]).toBeNaN();
    else expect(one[i]).toBeCloseTo(other[i] as number, 5);
  }
}

test("a tile of the file is the crop that the live source gives, at every level and group", async () => {
  for (const group of ["token", "word", "sentence"] as const)
    for (const level of [0, 1, 2])
      for (const reduce of ["max", "mean"] as const) {
        const request = { ...whole("weight"), group, level, reduce, row: 1, column: 0, height: 3, width: 5 };
        const [mine, theirs] = [await file.tile(trace.id, request), await live.tile(trace.id, request)];
        expect([mine.height, mine.width]).toEqual([theirs.height, theirs.width]);
        close(mine.values, theirs.values);
      }
});

test("norms, scores and the mean over heads are made from what is kept", async () => {
  for (const quantity of ["norm", "score"] as const)
    close((await file.tile(trace.id, whole(quantity))).values, (await live.tile(trace.id, whole(quantity))).values);
  close((await file.tile(trace.id, whole("weight", "mean"))).values, (await live.tile(trace.id, whole("weight", "mean"))).values);
});

test("a cell has the numbers that the live source gives", async () => {
  for (const [query, key] of [[5, 3], [2, 7]] as const) {
    const mine = await file.cell(trace.id, tap.name, 1, query, key);
    const theirs = await live.cell(trace.id, tap.name, 1, query, key);
    expect(mine.allowed).toBe(theirs.allowed);
    expect(mine.query_token).toBe(theirs.query_token);
    for (const name of ["dot", "score", "lse", "weight", "norm", "row_entropy"] as const)
      expect(mine[name], name).toBeCloseTo(theirs[name] as number, 4);
    expect(mine.row.map((each) => each.position)).toEqual(theirs.row.map((each) => each.position));
    expect(mine.column.map((each) => each.position)).toEqual(theirs.column.map((each) => each.position));
  }
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
  await expect(file.tile(trace.id, { ...whole("weight"), tap: "encoder.layers.0.self" })).rejects.toThrow("not in this file");
  await expect(file.trace({ model: "en-de", text: "another" })).rejects.toThrow("regard look");
});

test("the mean over heads has no equation", async () => {
  await expect(file.cell(trace.id, tap.name, "mean", 1, 0)).rejects.toThrow("are those of one head; choose 0 to");
});

test("a preview of a tile that is kept whole is that tile", async () => {
  const request = { ...whole("weight", 0), level: 3, height: 2, width: 2 };
  const key = `tile?column=0&every=1&group=token&head=0&height=2&level=3&quantity=weight&reduce=max&row=0&tap=${tap.name}&width=2`;
  const values = Float32Array.of(0.5, NaN, 0.25, 0.125);
  const long = embeddedSource({ trace, answers: { [key]: { shape: [2, 2], f32: base64(values) } }, left_out: [] });
  expect((await long.tile(trace.id, { ...request, every: 8 })).values).toEqual(values);
  await expect(long.tile(trace.id, { ...request, head: 1, every: 8 })).rejects.toThrow("is not in this file");
});
