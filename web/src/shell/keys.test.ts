import { expect, test } from "vitest";
import { recordedSource, traces } from "../../tests/recorded";
import type { TapInfo } from "../source";
import { createState, show } from "../state";
import { KEYS, nextHead, obey, taken } from "./keys";

const press = (key: string, held: Partial<{ shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }> = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

const opened = () => {
  const state = createState(recordedSource());
  show(state, traces[0]!, null);
  return state;
};
const page = { querySelector: () => null } as unknown as HTMLElement;
const after = (...presses: ReturnType<typeof press>[]) => {
  const state = opened();
  for (const each of presses) expect(obey(state, each, page), each.key).toBe(true);
  return state;
};

test("arrows move by one cell, with shift by ten", () => {
  const state = opened();
  state.focus.value = { query: 1, key: 5 };
  obey(state, press("ArrowDown"), page);
  expect(state.focus.value).toEqual({ query: 2, key: 5 });
  obey(state, press("ArrowLeft", { shiftKey: true }), page);
  expect(state.focus.value).toEqual({ query: 2, key: 0 });
});

test("s sets the first token aside and brings it back", () => {
  expect(after(press("s")).sinkless.value).toBe(true);
  expect(after(press("s"), press("s")).sinkless.value).toBe(false);
});

test("brackets go through heads, braces through layers", () => {
  const { head, tapName } = opened();
  expect(after(press("]")).head.value).toBe(Number(head.value) + 1);
  expect(after(press("]"), press("[")).head.value).toBe(head.value);
  const above = after(press("{")).tapName.value;
  expect(above).not.toBe(tapName.value);
  expect(after(press("{"), press("}", { shiftKey: true })).tapName.value).toBe(tapName.value);
});

test("after the last head comes their mean, then the first", () => {
  const tap = { heads: 3 } as TapInfo;
  expect([0, 2, "mean" as const].map((head) => nextHead(tap, head, 1))).toEqual([1, "mean", 0]);
  expect([0, "mean" as const].map((head) => nextHead(tap, head, -1))).toEqual(["mean", 2]);
});

test("the browser's own combinations are left to it", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey"]) expect(obey(opened(), press("e", { [held]: true }), page)).toBe(false);
  expect(obey(opened(), press("q"), page)).toBe(false);
});

test("a lesson has heads of its own, and no map", () => {
  const state = opened();
  state.learn.value = { lesson: "words", text: null, spotlight: null, chosen: {} };
  expect(["e", "ArrowDown", "["].map((key) => obey(state, press(key), page))).toEqual([false, false, false]);
  expect(obey(state, press("]"), page)).toBe(true);
  expect(state.learn.value.lesson).toBe("average");
});

test("a text field keeps its letters and arrows, but not escape", () => {
  const field = { tagName: "TEXTAREA", role: null };
  expect(taken(field, press("a"))).toBe(true);
  expect(taken(field, press("ArrowUp"))).toBe(true);
  expect(taken(field, press("Escape"))).toBe(false);
});

test("a tab keeps its arrows and gives letters away", () => {
  const tab = { tagName: "BUTTON", role: "tab" };
  expect(taken(tab, press("ArrowRight"))).toBe(true);
  expect(taken(tab, press("l"))).toBe(false);
});

test("every listed single key means something", () => {
  const names: Record<string, string> = { "←": "ArrowLeft", "↑": "ArrowUp", "→": "ArrowRight", "↓": "ArrowDown", "−": "-", esc: "Escape" };
  for (const { keys, means, does = {} } of KEYS) {
    if (keys.includes("enter")) continue; // the form's own
    for (const key of keys) expect(Object.keys(does), means).toContain(names[key] ?? key);
  }
});
