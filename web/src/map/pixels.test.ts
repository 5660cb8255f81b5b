import { expect, test } from "vitest";
import { RAMP_LENGTH } from "../color/ramps";
import { paint } from "./pixels";

test("pixels shade by the root of the weight on one scale, and leave the mask out", () => {
  const ramp = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => i);
  expect([...paint(new Float32Array([0, 0.25, 1, NaN]), ramp, 999)]).toEqual([0, 128, 255, 999]);
});
