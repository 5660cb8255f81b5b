import { expect, test } from "vitest";
import { command, KEYS, taken } from "./keys";

const press = (key: string, held: Partial<{ shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }> = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

test("arrows move by one cell, with shift by ten", () => {
  expect(command(press("ArrowDown"))).toEqual({ do: "move", rows: 1, columns: 0 });
  expect(command(press("ArrowLeft", { shiftKey: true }))).toEqual({ do: "move", rows: 0, columns: -10 });
});

test("brackets go through heads, braces through layers", () => {
  expect(command(press("["))).toEqual({ do: "head", by: -1 });
  expect(command(press("}", { shiftKey: true }))).toEqual({ do: "layer", by: 1 });
});

test("the browser's own combinations are left to it", () => {
  for (const held of ["ctrlKey", "metaKey", "altKey"]) expect(command(press("l", { [held]: true }))).toBeNull();
  expect(command(press("q"))).toBeNull();
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
  for (const { keys, means } of KEYS) {
    if (keys.includes("enter")) continue; // the form's own
    for (const key of keys) expect(command(press(names[key] ?? key)), means).not.toBeNull();
  }
});
