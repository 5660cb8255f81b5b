import { expect, it } from "vitest";
import { chosen, COLORS, toggled, type Slots } from "./heads";

it("a head keeps its color while others come and go", () => {
  let slots = toggled(toggled([3], 7), "mean");
  expect(chosen(slots)).toEqual([{ head: 3, color: 0 }, { head: 7, color: 1 }, { head: "mean", color: 2 }]);
  slots = toggled(slots, 3);
  expect(chosen(slots)).toEqual([{ head: 7, color: 1 }, { head: "mean", color: 2 }]);
  expect(chosen(toggled(slots, 5))[0]).toEqual({ head: 5, color: 0 });
});

it("one head always stays", () => {
  expect(chosen(toggled([2], 2))).toEqual([{ head: 2, color: 0 }]);
});

it("there are no more heads than colors", () => {
  let slots: Slots = [0];
  for (let head = 1; head < 12; head++) slots = toggled(slots, head);
  expect(chosen(slots)).toHaveLength(COLORS);
});
