import { beforeEach, describe, expect, test } from "vitest";
import { createState, type State } from "../../state";
import { fit, focusOn, moveFocus, setPlot, zoom } from "./commands";
import { axesOf } from "../geometry/positions";

const PLOT = { width: 700, height: 500 };
let state: State;

function opened(rows: number, columns: number): State {
  const tokens = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
  const axis = (count: number) => ({ tokens: tokens(count), predicts: null, words: null, sentences: null, prompt: 0 });
  const tap = { name: "encoder.layers.0.self", rows, columns, queries: "target", keys: "source" };
  const made = createState({} as never);
  made.trace.value = { id: "x", taps: [tap], axes: { source: axis(columns), target: axis(rows) } } as never;
  made.tapName.value = tap.name;
  setPlot(made, PLOT, axesOf(made.trace.value!, made.tap.value!, "token"));
  return made;
}

beforeEach(() => {
  state = opened(1000, 900);
});

describe("moving the focus", () => {
  test("begins in the middle of what is seen", () => {
    state.viewport.value = { row: 100, column: 200, columns: 70 }; // cells of 10 pixels
    moveFocus(state, 0, 1);
    expect(state.focus.value).toEqual({ query: 125, key: 235 });
  });
  test("goes cell by cell and scrolls along", () => {
    state.viewport.value = { row: 100, column: 200, columns: 70 };
    state.focus.value = { query: 125, key: 268 };
    moveFocus(state, 0, 1);
    expect(state.focus.value).toEqual({ query: 125, key: 269 });
    expect(state.viewport.value).toEqual({ row: 100, column: 201, columns: 70 });
  });
  test("goes by blocks where cells are less than a pixel", () => {
    state.focus.value = { query: 500, key: 500 };
    moveFocus(state, -1, 0);
    expect(state.focus.value).toEqual({ query: 498, key: 500 });
    expect(state.viewport.value).toBeNull();
  });
  test("stops at the map's ends", () => {
    state.focus.value = { query: 999, key: 0 };
    moveFocus(state, 10, -10);
    expect(state.focus.value).toEqual({ query: 999, key: 0 });
  });
  test("without a trace does nothing", () => {
    const empty = createState({} as never);
    moveFocus(empty, 1, 1);
    zoom(empty, 2);
    expect([empty.focus.value, empty.viewport.value]).toEqual([null, null]);
  });
});

test("zooming keeps the focus where it is on the screen", () => {
  state.viewport.value = { row: 100, column: 200, columns: 70 };
  state.focus.value = { query: 110, key: 220 };
  zoom(state, 2);
  expect(state.viewport.value!.columns).toBeCloseTo(35);
  expect(state.viewport.value!.column).toBeCloseTo(220.5 - 20.5 / 2);
  zoom(state, 1e-6);
  expect(state.viewport.value).toBeNull();
});

test("fit forgets the window", () => {
  state.viewport.value = { row: 1, column: 2, columns: 3 };
  fit(state);
  expect(state.viewport.value).toBeNull();
});

describe("another window size", () => {
  const narrow = { width: 400, height: 500 };
  const resize = () => setPlot(state, narrow, axesOf(state.trace.value!, state.tap.value!, "token"));
  test("keeps the size of cells", () => {
    state.viewport.value = { row: 100, column: 200, columns: 70 };
    resize();
    expect(state.viewport.value).toEqual({ row: 100, column: 200, columns: 40 });
    resize();
    expect(state.viewport.value).toEqual({ row: 100, column: 200, columns: 40 });
  });
  test("keeps a focus in view that was", () => {
    state.viewport.value = { row: 100, column: 200, columns: 70 };
    focusOn(state, { query: 120, key: 260 });
    resize();
    expect(state.viewport.value!.column).toBe(222);
  });
});
