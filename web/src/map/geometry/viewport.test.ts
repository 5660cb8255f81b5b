import { describe, expect, test } from "vitest";
import { blocks, clamp, fitCell, levelFor, panBy, positionAt, reveal, tilesIn, topLevel, toView, toViewport, zoomAt } from "./viewport";

const PLOT = { width: 700, height: 500 };
const LONG = { rows: 16384, columns: 16001 };
const SHORT = { rows: 7, columns: 5 };
const range = () => ({ level: 0, firstRow: 0, lastRow: 0, firstColumn: 0, lastColumn: 0 });

describe("the whole map", () => {
  test("fills the tighter side", () => {
    expect(fitCell(LONG, PLOT)).toBeCloseTo(500 / 16384);
    expect(fitCell({ rows: 100, columns: 1000 }, PLOT)).toBeCloseTo(0.7);
  });
  test("of few tokens keeps its cells small", () => {
    expect(fitCell(SHORT, PLOT)).toBe(64);
  });
  test("is what no viewport stands for, both ways", () => {
    const view = toView(null, LONG, PLOT);
    expect(view).toEqual({ row: 0, column: 0, cell: 500 / 16384 });
    expect(toViewport(view, LONG, PLOT)).toBeNull();
  });
});

test("a viewport survives the way to a view and back", () => {
  const viewport = { row: 1234.5, column: 777.25, columns: 90 };
  expect(toViewport(toView(viewport, LONG, PLOT), LONG, PLOT)).toEqual(viewport);
});

test("zooming keeps what is under the pointer there", () => {
  const before = { row: 3000, column: 5000, cell: 2 };
  const after = zoomAt(before, 3.7, 211, 97, LONG, PLOT);
  expect(after.cell).toBeCloseTo(7.4);
  expect(after.column + 211 / after.cell).toBeCloseTo(before.column + 211 / before.cell);
  expect(after.row + 97 / after.cell).toBeCloseTo(before.row + 97 / before.cell);
});

test("zooming out ends at the whole map, zooming in at cells one can read", () => {
  expect(zoomAt({ row: 9000, column: 10, cell: 2 }, 1e-9, 300, 300, LONG, PLOT)).toEqual(toView(null, LONG, PLOT));
  expect(zoomAt({ row: 9000, column: 10, cell: 2 }, 1e9, 0, 0, LONG, PLOT).cell).toBe(112);
});

test("panning moves by pixels and stops at the map's ends", () => {
  const view = { row: 100, column: 200, cell: 4 };
  expect(panBy(view, 40, -20, LONG, PLOT)).toEqual({ row: 105, column: 190, cell: 4 });
  expect(panBy(view, 1e6, 1e6, LONG, PLOT)).toEqual({ row: 0, column: 0, cell: 4 });
  const wide = { rows: 100, columns: 5000 }; // its width is the tighter side
  expect(panBy({ ...view, row: 0 }, -1e6, 0, wide, PLOT)).toEqual({ row: 0, column: 5000 - 175, cell: 4 });
});

test("zooming keeps to the pointer even where the map leaves its window partly empty", () => {
  const tall = { rows: 16384, columns: 9001 };
  let view = toView(null, tall, PLOT);
  const [x, y] = [200, 300];
  const [column, row] = [x / view.cell, y / view.cell];
  for (let i = 0; i < 40; i++) {
    view = zoomAt(view, 1.2, x, y, tall, PLOT);
    expect(view.column + x / view.cell).toBeCloseTo(column, 6);
    expect(view.row + y / view.cell).toBeCloseTo(row, 6);
  }
});

test("a map smaller than its window stays at the rulers", () => {
  expect(clamp({ row: 3, column: -2, cell: 64 }, SHORT, PLOT)).toEqual({ row: 0, column: 0, cell: 64 });
});

test("revealing moves no further than needed, with a cell of margin", () => {
  const view = { row: 100, column: 200, cell: 10 }; // 50 rows, 70 columns
  expect(reveal(view, 120, 220, LONG, PLOT)).toEqual(view);
  expect(reveal(view, 90, 220, LONG, PLOT)).toEqual({ ...view, row: 89 });
  expect(reveal(view, 120, 290, LONG, PLOT)).toEqual({ ...view, column: 222 });
  expect(reveal(view, 0, 220, LONG, PLOT).row).toBe(0);
});

test("a pointer names the cell under it, or none", () => {
  const view = { row: 100.5, column: 200, cell: 10 };
  expect(positionAt(view, 0, 4, LONG, PLOT)).toEqual({ row: 100, column: 200 });
  expect(positionAt(view, 69, 5, LONG, PLOT)).toEqual({ row: 101, column: 206 });
  expect(positionAt(view, -1, 5, LONG, PLOT)).toBeNull();
  expect(positionAt({ row: 0, column: 0, cell: 64 }, 400, 10, SHORT, PLOT)).toBeNull();
});

describe("levels", () => {
  test("a block takes at least one device pixel and less than two", () => {
    for (const cell of [0.03, 0.07, 0.11, 0.49, 0.5, 0.99]) {
      for (const ratio of [1, 2]) {
        const block = cell * ratio * 2 ** levelFor(cell, ratio, LONG);
        expect(block).toBeGreaterThanOrEqual(1 - 1e-6);
        if (cell * ratio < 1) expect(block).toBeLessThan(2);
      }
    }
  });
  test("single cells from one pixel on", () => {
    expect(levelFor(1, 1, LONG)).toBe(0);
    expect(levelFor(57, 1, LONG)).toBe(0);
  });
  test("the top level holds the map in one tile", () => {
    expect(topLevel(SHORT)).toBe(0);
    expect(topLevel({ rows: 256, columns: 256 })).toBe(0);
    expect(topLevel({ rows: 257, columns: 3 })).toBe(1);
    expect(topLevel({ rows: 131072, columns: 131072 })).toBe(9);
    expect(blocks(257, 1)).toBe(129);
  });
});

test("a window wants the tiles it touches and no others", () => {
  // 350 columns from 250 lie in tiles 0, 1 and 2; 250 rows from 512 in tile 2 alone.
  expect(tilesIn({ row: 512, column: 250, cell: 2 }, 0, LONG, PLOT, range())).toEqual({
    level: 0, firstRow: 2, lastRow: 2, firstColumn: 0, lastColumn: 2,
  });
  expect(tilesIn(toView(null, LONG, PLOT), 6, LONG, PLOT, range())).toEqual({
    level: 6, firstRow: 0, lastRow: 0, firstColumn: 0, lastColumn: 0,
  });
  expect(tilesIn(toView(null, LONG, PLOT), 5, LONG, PLOT, range())).toMatchObject({ lastRow: 1, lastColumn: 1 });
});
