/** A model of images against Python with the same weights: tests/fixtures/local_image.py made the numbers. */
import { expect, test } from "vitest";
import fixture from "../../../tests/fixtures/local_image.json";
import { library } from "../../tests/library";
import { fromBase64 } from "./base64";
import type { ModelFile } from "./config";
import { bitmap, patches, prepared, type Preparation } from "./pixels";
import { Viewer } from "./viewer";
import type { AblationRequest } from "../source";

const TEXT = "data:image/png;base64,";
const [, , image] = fixture.images;
const opened = () => {
  const model = new Viewer(fixture.file as unknown as ModelFile, library);
  model.fill(fromBase64(fixture.weights));
  return model;
};
const near = (found: ArrayLike<number>, expected: readonly number[], within = 1e-5) => {
  expect(found.length).toBe(expected.length);
  expect(Math.max(...expected.map((each, i) => Math.abs(each - (found[i] as number))))).toBeLessThanOrEqual(within);
};

test("every image becomes Pillow's bytes, larger, smaller, cut and in gray", () => {
  for (const { by, bytes } of fixture.prepared)
    bytes.forEach((expected, at) => expect([...prepared(fixture.images[at]!, by as Preparation)]).toEqual(expected));
});

test("the pixels of the patches are the model's", () => {
  const by = fixture.file.reading.image as unknown as Preparation;
  const found = patches(fixture.prepared[0]!.bytes[2]!, by);
  // Python's are (channels, rows, columns), of 8 by 6; a patch is 4 by 3.
  const expected = Array.from({ length: 144 }, (_, at) => {
    const [patch, channel, row, column] = [Math.floor(at / 36), Math.floor(at / 12) % 3, Math.floor(at / 3) % 4, at % 3];
    return fixture.pixels[channel * 48 + (4 * Math.floor(patch / 2) + row) * 6 + 3 * (patch % 2) + column] as number;
  });
  near(found, expected, 2e-7);
});

test("labels, maps and notes are Python's, also with parts that are off", () => {
  const model = opened();
  for (const [expected, without] of [[fixture.plain, []], [fixture.hidden, fixture.without]] as const) {
    const { info, kept } = model.trace({ model: "seen", text: TEXT, without: [...without], image });
    const { image: picture, ...axis } = info.axes["patches"]!;
    expect(axis).toEqual(expected.axes.patches);
    expect(picture).toMatch(/^data:image\/bmp;base64,Qk/);
    expect(info.labels!.map(({ token }) => token)).toEqual(expected.labels.map(({ token }) => token));
    near(info.labels!.map(({ probability }) => probability), expected.labels.map(({ probability }) => probability));
    expect(info.notes!.slice(0, -1)).toEqual(expected.notes);
    const maps = new Map(kept().numbers);
    for (const [tap, weights] of Object.entries(expected.weights)) near(maps.get(`map?head=1&quantity=weight&tap=${tap}`)!.values.map((each) => each || 0), weights);
    expect([info.can_rewrite, info.can_ablate]).toEqual([true, true]);
  }
});

test("an ablation, and what the label is without each patch", () => {
  const model = opened();
  const { info, run } = model.trace({ model: "seen", text: TEXT, image });
  const asked = { what: "token", tap: "encoder.layers.0.self", head: 0, query: 0, key: 2, step: null } as unknown as AblationRequest;
  const { before, after } = model.ablate(run, info, asked);
  near([before, after], [fixture.ablation.before, fixture.ablation.after]);
  const [whole = NaN] = model.score(run, []);
  const logs = fixture.reliance.map(({ first }) => model.score(run, [String(first)])[0]!);
  near(logs.map((log) => log - whole), fixture.reliance.map(({ change }) => change), 3e-5);
  near(logs.map((log) => Math.exp(log) - Math.exp(whole)), fixture.reliance.flatMap(({ changes }) => changes), 3e-5);
});

test("a bitmap has its rows from the last on, blue first, each of a multiple of four bytes", () => {
  const by = { channels: 3, size: [2, 1] } as unknown as Preparation;
  const file = fromBase64(bitmap([1, 2, 3, 4, 5, 6], by).split(",")[1]!);
  expect([...file.subarray(54)]).toEqual([6, 5, 4, 0, 3, 2, 1, 0]);
});
