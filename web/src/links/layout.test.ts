import { describe, expect, it } from "vitest";
import { curve, length, linedUp, nearest, rendered, risen, ROW, rowOf, sheaf } from "./layout";

describe("words in a line", () => {
  it("span the whole width with even gaps", () => {
    expect(linedUp([20, 30, 10], 10, 90)).toEqual([{ start: 0, end: 20 }, { start: 35, end: 65 }, { start: 80, end: 90 }]);
  });
  it("are centered when the gaps would grow too wide", () => {
    const [first, second] = linedUp([20, 20], 10, 200, 30);
    expect([first!.start, second!.end]).toEqual([65, 135]);
  });
  it("reach from end to end where gaps may be of any size, so that a short column goes along with a long one", () => {
    const [long, short] = [Array(9).fill(28), Array(3).fill(28)].map((all) => linedUp(all, 4, 284, Infinity));
    expect([long![0]!.start, long!.at(-1)!.end]).toEqual([short![0]!.start, short!.at(-1)!.end]);
    expect(short![1]!.start).toBe(long![4]!.start);
  });
  it("have at least the gap between them", () => {
    const line = linedUp([50, 50, 50], 8, 100);
    expect(line[1]!.start - line[0]!.end).toBe(8);
    expect(length([50, 50, 50], 8)).toBe(166);
  });
});

describe("a column", () => {
  it("has its words closer together where all of them then fit", () => {
    expect([rowOf(1000, 7), rowOf(245, 7), rowOf(300, 12), rowOf(264, 12), rowOf(263, 12)]).toEqual([40, 35, 25, 22, ROW]);
  });
  it("has all of a short text on the page, and of a long one what is near its window", () => {
    expect(rendered(0, 7 * ROW, ROW, 7)).toEqual([0, 7]);
    expect(rendered(100 * ROW, 11 * ROW, ROW, 1009)).toEqual([88, 123]);
    expect(rendered(1000 * ROW, 11 * ROW, ROW, 3)).toEqual([3, 3]);
  });
});

describe("lines", () => {
  const line = (from: number, to: number, value: number, width = 1) => ({ from, to, value, width });

  it("run level at both ends, across or down", () => {
    expect(curve(10, 90, 200)).toBe("M0 10C100 10 100 90 200 90");
    expect(curve(10, 90, 200, true)).toBe("M10 0C10 100 90 100 90 200");
  });
  it("are found under the pointer where they are drawn, and nowhere else", () => {
    const lines = [line(14, 182, 0.2), line(182, 182, 0.9)];
    expect(nearest(lines, 200, 98, 100)).toBe(lines[0]); // halfway across, halfway down
    expect(nearest(lines, 200, 182, 50)).toBe(lines[1]);
    expect(nearest(lines, 200, 2, 199)).toBeNull();
  });
  it("are found up to their edge, however wide, the stronger of two", () => {
    const lines = [line(50, 50, 0.2, 20), line(50, 50, 0.5, 20)];
    expect(nearest(lines, 100, 66, 30)).toBe(lines[1]);
    expect(nearest(lines, 100, 70, 30)).toBeNull();
  });
  it("rise as the drawn cubic does", () => {
    // at t = 1/4: x = 1.5·(3/16) + 1/64 = 19/64, y = 3/16 - 2/64 = 10/64
    expect(risen(19 / 64)).toBeCloseTo(10 / 64, 4);
    expect(risen(0.5)).toBeCloseTo(0.5, 4);
  });
  it("that are summed are in one shape, drawn in at the middle", () => {
    expect(sheaf(100, { start: 0, end: 100 }, { start: 0, end: 100 })).toBe("M0 0Q50 26 100 0L100 100Q50 74 0 100Z");
  });
});
