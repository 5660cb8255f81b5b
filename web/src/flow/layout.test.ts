import { describe, expect, it } from "vitest";
import { ROW, curve, fan, farTargets, lineAt, place, rendered, risen, rowOf, scrollTo, sheaf, side, stroke } from "./layout";

const short = { scroll: 0, height: 7 * ROW, count: 7, row: ROW };
const long = { scroll: 100 * ROW, height: 11 * ROW, count: 1009, row: ROW };

describe("the window on a column", () => {
  it("holds all of a short text", () => {
    expect(rendered(short)).toEqual([0, 7]);
    expect(side(short, 0)).toBe(0);
    expect(side(short, 6)).toBe(0);
  });
  it("puts tokens closer together where all of them then fit", () => {
    expect([rowOf(1000, 7), rowOf(300, 12), rowOf(264, 12), rowOf(263, 12)]).toEqual([ROW, 25, 22, ROW]);
  });
  it("of a long one puts few tokens on the page", () => {
    const [first, end] = rendered(long);
    expect(first).toBeLessThanOrEqual(100);
    expect(end).toBeGreaterThanOrEqual(111);
    expect(end - first).toBeLessThan(50);
  });
  it("knows what lies above and below, and puts its lines at the edge", () => {
    expect([side(long, 99), side(long, 100), side(long, 110), side(long, 111)]).toEqual([-1, 0, 0, 1]);
    expect(place(long, 3)).toBe(0);
    expect(place(long, 900)).toBe(11 * ROW);
    expect(place(long, 100)).toBe(ROW / 2);
  });
  it("scrolls a token to the middle without leaving the text", () => {
    expect(scrollTo(long, 0)).toBe(0);
    expect(scrollTo(long, 1008)).toBe((1009 - 11) * ROW);
    expect(place({ ...long, scroll: scrollTo(long, 500) }, 500)).toBe(long.height / 2);
  });
});

describe("far targets", () => {
  it("names the strongest beyond an edge, and sums all of them", () => {
    const line = (key: number, value: number) => ({ slot: 0, query: 104, key, value });
    const lines = [line(0, 0.5), line(1, 0.1), line(1, 0.15), line(2, 0.05), line(105, 0.9), line(700, 0.2)];
    const above = farTargets(lines, "key", long, -1, 2);
    expect(above.named.map((far) => far.index)).toEqual([0, 1]);
    expect(above.named[1]!.value).toBeCloseTo(0.25, 6);
    expect(above.value).toBeCloseTo(0.8, 6);
    expect(farTargets(lines, "key", long, 1).named).toEqual([{ index: 700, value: 0.2 }]);
  });
});

describe("lines", () => {
  it("run from token to token and widen with the weight", () => {
    const weak = stroke({ slot: 0, query: 1, key: 4, value: 0.1 }, short, short, 200, 1, 1);
    const strong = stroke({ slot: 0, query: 1, key: 4, value: 1 }, short, short, 200, 1, 1);
    expect(strong.path).toBe(curve(0, 1.5 * ROW, 200, 4.5 * ROW));
    expect(strong.width).toBeGreaterThan(weak.width);
    expect(strong.opacity).toBeGreaterThan(weak.opacity);
    expect(strong.away).toBe(false);
  });
  it("of several heads lie beside each other, all within their token's row", () => {
    const at = (slot: number) => Number(/M0 ([\d.]+)/.exec(stroke({ slot, query: 2, key: 2, value: 1 }, short, short, 100, 1, 8).path)![1]);
    const heights = Array.from({ length: 8 }, (_, slot) => at(slot));
    expect(new Set(heights).size).toBe(8);
    for (const height of heights) expect(Math.abs(height - 2.5 * ROW)).toBeLessThan(ROW / 2);
  });
  it("are found under the pointer where they are drawn, and nowhere else", () => {
    const lines = [{ slot: 0, query: 0, key: 6, value: 0.2 }, { slot: 0, query: 6, key: 6, value: 0.9 }];
    expect(lineAt(lines, short, short, 200, 1, 100, 3.5 * ROW)?.query).toBe(0); // halfway across, halfway down
    expect(lineAt(lines, short, short, 200, 1, 50, 6.5 * ROW)?.query).toBe(6);
    expect(lineAt(lines, short, short, 200, 1, 199, 2)).toBeNull();
  });
  it("rise as the drawn cubic does", () => {
    // at t = 1/4: x = 1.5·(3/16) + 1/64 = 19/64, y = 3/16 - 2/64 = 10/64
    expect(risen(19 / 64)).toBeCloseTo(10 / 64, 4);
    expect(risen(0.5)).toBeCloseTo(0.5, 4);
  });
  it("of the bundle close to a shape without NaN", () => {
    expect(fan(100, [10, 12], [0, 80])).toBe("M0 10C50 10 50 0 100 0L100 80C50 80 50 12 0 12Z");
    expect(sheaf(100, [0, 100], [0, 100])).toBe("M0 0Q50 26 100 0L100 100Q50 74 0 100Z");
  });
});
