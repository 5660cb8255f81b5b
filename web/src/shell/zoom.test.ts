import { expect, test } from "vitest";
import { recordedSource, traces } from "../../tests/recorded";
import type { Looks } from "../source";
import { createState, show } from "../state";
import { levelOf, zoomBy, zoomTo } from "./zoom";

const opened = () => {
  const looks = () => Promise.resolve({ looks: [{ position: 3, token: "a", weight: 0.9 }], rest: 0.1 } as Looks);
  const state = createState({ ...recordedSource(), looks });
  show(state, traces[0]!, null);
  return state;
};

test("plus goes from the sentence over the map and its cells to the products, minus all the way back", () => {
  const state = opened();
  state.view.value = "sentence";
  state.focus.value = { query: 1, key: 2 };
  const levels = [levelOf(state)];
  const go = (factor: number) => {
    for (let press = 0; press < 12; press++) {
      if (!zoomBy(state, factor)) break;
      if (levels.at(-1) !== levelOf(state)) levels.push(levelOf(state));
    }
  };
  go(1.5);
  state.drawer.value = "";
  go(1 / 1.5);
  expect(levels).toEqual(["sentence", "map", "cell", "products", "cell", "map", "sentence"]);
});

test("a distance is gone to at once, at the cell in focus or at the strongest of the word in question", async () => {
  const state = opened();
  await zoomTo(state, "cell");
  expect(state.focus.value).toEqual({ query: 0, key: 3 });
  expect(levelOf(state)).toBe("cell");
  await zoomTo(state, "products");
  expect([state.view.value, state.drawer.value, levelOf(state)]).toEqual(["map", "cell", "products"]);
  await zoomTo(state, "map");
  expect([state.viewport.value, state.drawer.value]).toEqual([null, ""]);
  await zoomTo(state, "sentence");
  expect(levelOf(state)).toBe("sentence");
});

test("the products of a mean over heads are those of the head with most weight at the cell", async () => {
  const state = createState({ ...opened().source, tile: (_, { head }) => Promise.resolve({ values: Float32Array.of([0.1, 0.6, 0.2, 0.3][Number(head)]!), height: 1, width: 1 }) });
  show(state, traces[0]!, null);
  state.head.value = "mean";
  await zoomTo(state, "cell");
  expect(state.head.value).toBe("mean");
  await zoomTo(state, "products");
  expect([state.head.value, levelOf(state)]).toEqual([1, "products"]);
});
