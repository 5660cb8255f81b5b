import { expect, test } from "vitest";
import { across, arrow, frameOf, within, writeNames, type Point } from "./plane";

test("both axes have one measure, and every point lies within", () => {
  const points: Point[] = [[3, 1], [-1, 0.5], [0.2, -2]];
  const { place, unit } = frameOf(points, 400, 300);
  const [x0, y0] = place([0, 0]);
  const [x1, y1] = place([1, 1]);
  expect(x1 - x0).toBeCloseTo(unit, 9);
  expect(y0 - y1).toBeCloseTo(unit, 9); // y upwards
  for (const [x, y] of points.map(place)) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(400);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(300);
  }
});

test("vectors that are all zero still have a frame", () => {
  expect(frameOf([[0, 0]], 200, 100).place([0, 0])).toEqual([100, 50]);
});

test("every name is written, clear of the others and inside, and one far from its tip has a leader", () => {
  const name = (text: string, at: Point, first = false) => ({ text, at, away: [1, 0] as Point, first });
  const crowd = Array.from({ length: 12 }, (_, i) => name(`word${i}`, [150, 100]));
  const written = writeNames([...crowd, name("chosen", [150, 100], true)], 300, 200);
  expect(written.map(({ index }) => index)).toEqual([...Array(13).keys()]);
  expect(written[12]!.leader).toBeNull();
  expect(written.some(({ leader }) => leader !== null)).toBe(true);
  for (const one of written)
    for (const other of written)
      if (one !== other) expect(Math.abs(one.x - other.x) > 40 || Math.abs(one.y - other.y) >= 14).toBe(true);
  const [edge] = writeNames([name("edge", [299, 100])], 300, 200);
  expect(edge!.x).toBeLessThan(285);
});

test("a step's name stands on the far side of the arrow along which all steps lead", () => {
  const along: [Point, Point] = [[0, 0], [10, 0]];
  expect(across([2, 1], [4, 2], along)[1]).toBeGreaterThan(0);
  expect(across([2, -1], [4, -2], along)[1]).toBeLessThan(0);
});

test("an arrow ends where it points, or at the frame that it leaves", () => {
  expect(within([10, 10], [20, 30], 100, 50)).toEqual([20, 30]);
  expect(within([10, 10], [210, 10], 110, 50)).toEqual([110, 10]);
  expect(within([50, 40], [50, -40], 100, 50)).toEqual([50, 0]);
});

test("an arrow's head is never longer than half of it, and no length is no arrow", () => {
  expect(arrow([0, 0], [0.2, 0])).toBe("");
  expect(arrow([0, 0], [4, 0])).toBe("M0 0L4 0M2 -1L4 0L2 1");
});
