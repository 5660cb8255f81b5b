import { describe, expect, it } from "vitest";
import { chooseLines, linesOf, linesOfLooks } from "./lines";

const map = (rows: number[][]) => ({ values: Float32Array.from(rows.flat()), height: rows.length, width: rows[0]!.length });
const first = map([[0.7, 0.2, 0.1], [0.05, NaN, 0.95]]);
const second = map([[0, 0.5, 0.5], [1, 0, 0]]);
const all = () => true;

describe("linesOf", () => {
  it("has a line for each weight above zero, of each head", () => {
    const { lines, more } = linesOf([first, second], all);
    expect(lines).toHaveLength(5 + 3);
    expect(more).toEqual({ count: 0, value: 0 });
    expect(lines.filter((line) => line.slot === 1 && line.query === 1)).toEqual([{ slot: 1, query: 1, key: 0, value: 1 }]);
  });
  it("keeps to what is wanted", () => {
    expect(linesOf([first], (_, key) => key === 2).lines.map((line) => line.query)).toEqual([0, 1]);
  });
  it("of a large map sums what is far below the largest without listing it", () => {
    const size = 151;
    const rows = Array.from({ length: size }, (_, query) => Array.from({ length: size }, (_, key) => (query === key ? 0.9 : 0.1 / 150)));
    const { lines, more } = linesOf([map(rows)], all);
    expect(lines).toHaveLength(size);
    expect(more.count).toBe(size * 150);
    expect(more.value).toBeCloseTo(size * 0.1, 4);
  });
});

describe("chooseLines", () => {
  it("keeps the strongest, weakest first, and sums the remainder", () => {
    const { lines, more, total } = chooseLines(linesOf([first], all), 2);
    expect(lines.map((line) => Number(line.value.toFixed(2)))).toEqual([0.7, 0.95]);
    expect(more.count).toBe(3);
    expect(more.value).toBeCloseTo(0.2 + 0.1 + 0.05, 6);
    expect(total).toBeCloseTo(2, 6);
  });
  it("leaves nothing over when all are drawn", () => {
    expect(chooseLines(linesOf([first], all)).more).toEqual({ count: 0, value: 0 });
  });
  it("does not change what it was given", () => {
    const given = linesOf([first], all);
    given.more.count = 4;
    chooseLines(given, 1);
    expect(given.more.count).toBe(4);
    expect(given.lines).toHaveLength(5);
  });
});

describe("linesOfLooks", () => {
  const unit = (first: number, end: number) => ({ first, end, label: "", title: "", special: false });
  const queries = [unit(0, 1), unit(1, 3)];
  const keys = [unit(0, 2), unit(2, 3), unit(3, 7)];
  const look = (position: number, weight: number) => ({ position, weight, token: "" });

  it("sums over a word's keys and takes the mean over its queries, as grouping a whole map does", () => {
    const { lines, more } = linesOfLooks(
      [
        { slot: 0, side: "query", position: 1, looks: { looks: [look(0, 0.5), look(1, 0.3)], rest: 0.2 }, of: 7 },
        { slot: 0, side: "query", position: 2, looks: { looks: [look(2, 0.8), look(0, 0.2)], rest: 0 }, of: 7 },
      ],
      queries,
      keys,
    );
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ query: 1, key: 0 });
    expect(lines[0]!.value).toBeCloseTo((0.5 + 0.3 + 0.2) / 2, 6);
    expect(lines[1]!.value).toBeCloseTo(0.4, 6);
    expect(more).toEqual({ count: 5, value: 0.1 });
  });
  it("counts the cell where a followed row and column cross once", () => {
    const { lines } = linesOfLooks(
      [
        { slot: 0, side: "query", position: 0, looks: { looks: [look(2, 0.6)], rest: 0 }, of: 1 },
        { slot: 0, side: "key", position: 2, looks: { looks: [look(0, 0.6)], rest: 0 }, of: 1 },
      ],
      queries,
      keys,
    );
    expect(lines).toEqual([{ slot: 0, query: 0, key: 1, value: 0.6 }]);
  });
});
