import { describe, expect, it } from "vitest";
import { ribbons } from "./ribbons";

describe("ribbons", () => {
  const values = Float32Array.of(0.6, 0.38, 0.02, 0.9, 0.1, 0, NaN, NaN, NaN);
  const map = { values, height: 3, width: 3 };
  const source = [{ start: 0, end: 20 }, { start: 30, end: 60 }, { start: 70, end: 90 }];
  const output = [{ start: 0, end: 40 }, { start: 50, end: 90 }, { start: 100, end: 130 }];
  const all = ribbons(map, source, output, 20);

  it("are drawn for shares worth seeing", () => {
    expect(all.map(({ query, key }) => [query, key])).toEqual([[0, 0], [0, 1], [1, 0], [1, 1]]);
  });
  it("lie side by side in the middle of the output's word, each as wide as its share", () => {
    const [one, other] = all; // 12 and 7.6 px wide, from 10.2 to 29.8
    expect(one!.to).toBeCloseTo(10.2 + 6, 4);
    expect(other!.to).toBeCloseTo(29.8 - 3.8, 4);
    expect(other!.width).toBeCloseTo(7.6, 4);
  });
  it("never stand over the edge of a word that many look at", () => {
    // the first word gets 1.5 of 20 px, but has only 20: 8 and 12 of them
    const [one, , other] = all;
    expect([one!.width, other!.width]).toEqual([expect.closeTo(8, 4), expect.closeTo(12, 4)]);
    expect([one!.from, other!.from]).toEqual([expect.closeTo(4, 4), expect.closeTo(14, 4)]);
  });
});
