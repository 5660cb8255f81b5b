import { expect, test } from "vitest";
import { RAMP_LENGTH } from "../color/ramps";
import { paint, paintOwn } from "./Thumbnail";

test("thumbnails shade by the root of the weight on one scale, and leave the mask out", () => {
  const ramp = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => i);
  expect([...paint(new Float32Array([0, 0.25, 1, NaN]), ramp, 999)]).toEqual([0, 128, 255, 999]);
});

test("a thumbnail of its own scale shows the small weights beside a sink", () => {
  const ramp = Uint32Array.from({ length: RAMP_LENGTH }, (_, i) => i);
  const values = Float32Array.from(Array.from({ length: 16 }, (_, i) => [0.97, i % 2 ? 0.01 : 0.02, NaN]).flat());
  for (const perRow of [true, false]) {
    const pixels = paintOwn(values, 3, perRow, ramp, 999);
    expect([pixels[0], pixels[2]]).toEqual([255, 999]);
    expect(pixels[1]).toBeGreaterThan(250);
  }
  expect(paint(values, ramp, 999)[1]).toBeLessThan(64); // on the scale that all heads share
});
