import { expect, test } from "vitest";
import type { TapInfo } from "../source";
import { landing } from "./landing";

const taps = (rows: number) => [{ rows, columns: rows } as TapInfo];

test("translators open with ribbons, other texts with lines, images and long texts with the map", () => {
  expect(landing({ task: "translation", taps: taps(16) })).toEqual({ view: "translation", head: "mean" });
  expect(landing({ task: "generation", taps: taps(256) }).view).toBe("flow");
  expect(landing({ task: "vision", taps: taps(16) })).toEqual({});
  for (const task of ["translation", "generation"] as const) expect(landing({ task, taps: [...taps(16), ...taps(257)] })).toEqual({});
});
