/** How wide a text will be, before it is on the page. */

let canvas: CanvasRenderingContext2D | null = null;

export function textWidth(text: string, font: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 8;
  canvas.font = font;
  return canvas.measureText(text).width;
}

/** The font that text in an element has, as `textWidth` takes it; "600 18px …" with a size and weight. */
export function fontOf(element: Element, size: number, weight = 400): string {
  return `${weight} ${size}px ${getComputedStyle(element).fontFamily}`;
}
