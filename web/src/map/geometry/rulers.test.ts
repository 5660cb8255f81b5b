import { expect, test } from "vitest";
import { positions } from "./positions";
import { fitted, labeling, LINE, rowLabel, rulerSize, upright } from "./rulers";

const ctx = { font: "test", measureText: (text: string) => ({ width: 7 * [...text].length }) };

test("every token is named where there is room, some where there is little, numbers where there is none", () => {
  expect(labeling(20, 56)).toEqual({ kind: "tokens", step: 1 });
  expect(labeling(LINE, 56)).toEqual({ kind: "tokens", step: 1 });
  expect(labeling(5, 56)).toEqual({ kind: "tokens", step: 3 });
  expect(labeling(0.05, 56)).toEqual({ kind: "numbers", step: 2000 });
});

test("labels never stand closer than they are tall or wide", () => {
  for (let cell = 0.01; cell < 30; cell *= 1.3) {
    const { kind, step } = labeling(cell, 56);
    expect(step * cell).toBeGreaterThanOrEqual(kind === "tokens" ? LINE - 1e-6 : 56 - 1e-6);
  }
});

test("tokens stand upright over narrow columns; wide ones and numbers are level", () => {
  expect([60, 40, 5, 0.5].map((cell) => upright({ row: 0, column: 0, cell }))).toEqual([false, true, true, false]);
});

test("a label is cut with an ellipsis, and no earlier than needed", () => {
  expect(fitted(ctx, "Mann", 28)).toBe("Mann");
  expect(fitted(ctx, "Männer", 28)).toBe("Män…");
  expect(fitted(ctx, "Männer", 3)).toBe("");
});

test("a decoder's row says what it reads and predicts, with room", () => {
  const axis = { tokens: ["<s>", "▁Zwei"], predicts: ["▁Zwei", "</s>"], words: null, sentences: null, prompt: 1 };
  const rows = positions(axis, "target", 2, "token");
  expect(rowLabel(rows, 0, true)).toBe("<s> → Zwei");
  expect(rowLabel(rows, 0, false)).toBe("→ Zwei");
});

test("a ruler keeps within its bounds", () => {
  expect([rulerSize(10, 56, 190), rulerSize(100, 56, 190), rulerSize(900, 56, 190)]).toEqual([56, 114, 190]);
});
