import { expect, test } from "vitest";
import type { TapInfo } from "../source";
import { landing } from "./address";

const taps = (rows: number) => [{ rows, columns: rows } as TapInfo];

test("a text opens with its sentence, a translator's with the mean over heads, an image too, and a long text with the map", () => {
  expect(landing({ task: "translation", taps: taps(16) })).toEqual({ view: "sentence", head: "mean" });
  expect(landing({ task: "generation", taps: taps(256) })).toEqual({ view: "sentence" });
  expect(landing({ task: "vision", taps: taps(512) })).toEqual({ view: "sentence", head: "mean" });
  for (const task of ["translation", "generation"] as const) expect(landing({ task, taps: [...taps(16), ...taps(257)] })).toEqual({});
});
