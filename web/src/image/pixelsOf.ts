/** The pixels of an image that came as text, as the browser reads it: upright, and as bytes. */
import type { Pixels } from "../local/pixels";
import { isImage } from "./grid";

export async function pixelsOf(text: string): Promise<Pixels> {
  const image = new Image();
  try {
    if (!isImage(text)) throw new Error();
    image.src = text;
    await image.decode();
  } catch {
    throw new Error("The browser cannot read this image; choose another one.");
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d") as OffscreenCanvasRenderingContext2D;
  context.drawImage(image, 0, 0);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}
