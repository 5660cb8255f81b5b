import { expect, test } from "vitest";
import { drawColumns, drawRows } from "../map/geometry/rulers";
import type { Positions } from "../map/geometry/positions";
import { escaped, SvgDrawing } from "./drawing";

/** Eight pixels a letter; of a picture, the pixels that `pixels` has. */
function context(pixels: number[] = []) {
  return {
    font: "12px sans",
    canvas: { width: 0, height: 0 },
    measureText: (text: string) => ({ width: 8 * text.length }),
    drawImage: () => undefined,
    getImageData: () => ({ data: Uint8ClampedArray.from(pixels) }),
  } as unknown as CanvasRenderingContext2D;
}

test("labels are text at their baseline, and groups close with what opened them", () => {
  const drawing = new SvgDrawing(context());
  drawing.save();
  drawing.translate(3, 5);
  drawing.rotate(-Math.PI / 2);
  drawing.font = '10px "A B"';
  drawing.textBaseline = "middle";
  drawing.textAlign = "right";
  drawing.fillText("a<b", 7, 11);
  drawing.restore();
  drawing.fillRect(1, 2, 3, 4);
  expect(String(drawing)).toBe(
    '<g transform="translate(3 5)"><g transform="rotate(-90)">' +
      '<text x="7" y="14.5" text-anchor="end" style="font:10px &quot;A B&quot;" fill="#000">a&lt;b</text></g></g>' +
      '<rect x="1" y="2" width="3" height="4" fill="#000"/>',
  );
});

test("cells of one color beside each other are one rectangle, and transparent ones are left out", () => {
  const [red, blue, none] = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0]];
  const drawing = new SvgDrawing(context([red, red, blue, none, blue, blue].flat() as number[]));
  drawing.drawImage({} as ImageBitmap, 0, 0, 3, 2, 10, 20, 30, 40);
  const rects = [...String(drawing).matchAll(/<rect x="(\d)" y="(\d)" width="(\d)" height="1" fill="(\S+)"/g)];
  expect(rects.map((each) => each.slice(1))).toEqual([["0", "0", "2", "#ff0000"], ["2", "0", "1", "#0000ff"], ["1", "1", "2", "#0000ff"]]);
  expect(String(drawing)).toContain('transform="translate(10 20) scale(10 20)"');
});

test("what is clipped and hatched is said by names that two drawings do not share", () => {
  const names = [0, 1].flatMap(() => {
    const drawing = new SvgDrawing(context());
    drawing.fillStyle = drawing.hatching("#eee", "#999", 7);
    drawing.beginPath();
    drawing.rect(0, 0, 5, 7);
    drawing.clip();
    drawing.fillRect(0, 0, 5, 7);
    const svg = String(drawing);
    const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map((each) => each[1]!);
    for (const id of ids) expect(svg).toContain(`url(#${id})`);
    return ids;
  });
  expect(new Set(names).size).toBe(4);
});

test("the rulers of a map are drawn on a file as on the screen: every token once, upright ones turned", () => {
  const tokens = ["ein", "roter", "Hund"];
  const axis = { length: 3, label: (i: number) => tokens[i], predicts: () => null } as unknown as Positions;
  const drawing = new SvgDrawing(context());
  const [at, view] = [{ left: 80, top: 60, width: 90, height: 90 }, { row: 0, column: 0, cell: 30 }];
  const style = { font: "12px sans", mono: "12px mono", foreground: "#111", muted: "#777", rule: "#ccc" };
  drawRows(drawing, at, view, axis, style, false);
  drawColumns(drawing, at, view, axis, style);
  const svg = String(drawing);
  for (const token of tokens) expect(svg.split(`>${token}</text>`)).toHaveLength(3);
  expect(svg.split("rotate(-90)")).toHaveLength(4);
  expect(svg.split("<g").length).toBe(svg.split("</g>").length);
});

test("a text that XML cannot hold becomes one that it can", () => {
  expect(escaped("a\u0000b\ud800c & \u{1f600}")).toBe("a\ufffdb\ufffdc &amp; \u{1f600}");
});
