/** A model that reads images: an image to its labels, and to everything that the page shows of it. */
import type { TraceInfo } from "../source";
import { bitmap, patches, prepared, type Preparation } from "./pixels";
import { Reader, type Wanted } from "./reader";

export class Viewer extends Reader {
  private get image(): Preparation {
    return this.reading.image as Preparation;
  }

  /** Its bytes as the model reads them; of no image, black ones. */
  protected override sourceOf({ image }: Wanted): number[] {
    const { size: [height, width], channels } = this.image;
    return image ? Array.from(prepared(image, this.image)) : Array<number>(height * width * channels).fill(0);
  }

  protected override axesOf(source: readonly number[]): TraceInfo["axes"] {
    const { size, patch, first } = this.image;
    const [rows, columns] = size.map((side, i) => side / (patch[i] as number)) as [number, number];
    const grid = Array.from({ length: rows * columns }, (_, at) => `${Math.floor(at / columns)},${at % columns}`);
    const tokens = [...(first ? ["CLS"] : []), ...grid];
    return { patches: { tokens, words: null, sentences: null, predicts: null, prompt: tokens.length, peaks: null, image: bitmap(source, this.image) } };
  }

  protected override read(source: readonly number[]): Float32Array {
    const { size, patch, first } = this.image;
    const count = (size[0] / patch[0]) * (size[1] / patch[1]);
    return this.model.readImage(patches(source, this.image), first + count);
  }
}
