/** Width of a text before it is on the page. */

let canvas: CanvasRenderingContext2D | null = null;

export function textWidth(text: string, font: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 8;
  canvas.font = font;
  return canvas.measureText(text).width;
}

let family = ""; // asked for once: after a change of the page, the answer waits for all of its styles

/** The page's font in a size and weight, as `textWidth` takes it. */
export function fontOf(size: number, weight = 400): string {
  family ||= getComputedStyle(document.querySelector(".regard") ?? document.body).fontFamily;
  return `${weight} ${size}px ${family}`;
}
