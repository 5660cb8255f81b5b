import { expect, it } from "vitest";
import type { Slots } from "./heads";
import { COLOURS, chosen, only, toggled } from "./heads";

it("a head keeps its colour while others come and go", () => {
  let slots = toggled(toggled(only(3), 7), "mean");
  expect(chosen(slots)).toEqual([{ head: 3, colour: 0 }, { head: 7, colour: 1 }, { head: "mean", colour: 2 }]);
  slots = toggled(slots, 3);
  expect(chosen(slots)).toEqual([{ head: 7, colour: 1 }, { head: "mean", colour: 2 }]);
  expect(chosen(toggled(slots, 5))[0]).toEqual({ head: 5, colour: 0 });
});

it("one head always stays", () => {
  expect(chosen(toggled(only(2), 2))).toEqual([{ head: 2, colour: 0 }]);
});

it("there are no more heads than colours", () => {
  let slots: Slots = only(0);
  for (let head = 1; head < 12; head++) slots = toggled(slots, head);
  expect(chosen(slots)).toHaveLength(COLOURS);
});
