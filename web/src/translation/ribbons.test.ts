import { describe, expect, it } from "vitest";
import { length, linedUp, outline, ribbons } from "./ribbons";

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

describe("ribbons", () => {
  const values = Float32Array.of(0.6, 0.38, 0.02, 0.9, 0.1, 0, NaN, NaN, NaN);
  const map = { values, height: 3, width: 3 };
  const source = [{ start: 0, end: 20 }, { start: 30, end: 60 }, { start: 70, end: 90 }];
  const output = [{ start: 0, end: 40 }, { start: 50, end: 90 }, { start: 100, end: 130 }];
  const { ribbons: all, left } = ribbons(map, source, output, 20);

  it("are drawn for shares worth seeing, and what is left out is known", () => {
    expect(all.map(({ query, key }) => [query, key])).toEqual([[0, 0], [0, 1], [1, 0], [1, 1]]);
    expect(left).toBeCloseTo(0.02 / 2, 6); // of two rows: the third has none
  });
  it("are as wide as their share at the output's word, side by side in its middle", () => {
    const [one, other] = all;
    expect(one!.to.end - one!.to.start).toBeCloseTo(12, 4);
    expect(other!.to.start).toBeCloseTo(one!.to.end, 4);
    expect((one!.to.start + other!.to.end) / 2).toBeCloseTo(20, 4);
  });
  it("never stand over the edge of a word that many look at", () => {
    // the first word gets 1.5 of 20 px, but has only 20
    const onFirst = all.filter((ribbon) => ribbon.key === 0);
    expect(onFirst[0]!.from.start).toBeCloseTo(0, 4);
    expect(onFirst[1]!.from.end).toBeCloseTo(20, 4);
    expect((onFirst[0]!.from.end - onFirst[0]!.from.start) / 20).toBeCloseTo(0.6 / 1.5, 4);
  });
  it("are closed shapes from the one edge to the other", () => {
    const path = outline(all[0]!, 100, "down");
    expect(path).toMatch(/^M0 0L/);
    expect(path).toContain(`L${Math.round(10 * all[0]!.to.start) / 10} 100`);
    expect(path).not.toContain("NaN");
    const [x, y] = outline(all[2]!, 100, "right").slice(1).split("L")[0]!.split(" ").map(Number);
    expect([x, y]).toEqual([0, Number(all[2]!.from.start.toFixed(1))].map((value) => expect.closeTo(value, 1)));
  });
});
