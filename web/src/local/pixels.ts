/** Images to the bytes that a model takes, by the arithmetic of Pillow, so that the numbers are Python's. */
import type { components } from "../schema";

export type Preparation = components["schemas"]["PageImage"];

/** Rows of pixels, four bytes each. */
export interface Pixels {
  width: number;
  height: number;
  data: ArrayLike<number>;
}

const BITS = 22; // of a coefficient behind the point
const GRAY = [19595, 38470, 7471]; // of 65,536
const TRIANGLE = 2; // Pillow's number of the bilinear filter; the other is the bicubic one
const reach = (filter: number) => (filter === TRIANGLE ? 1 : 2);

/** A filter's value at a distance. */
function weight(filter: number, distance: number): number {
  const x = Math.abs(distance);
  if (filter === TRIANGLE) return Math.max(0, 1 - x);
  const a = -0.5;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/** The image in the model's size and colors: bytes, (height, width, channels). */
export function prepared(pixels: Pixels, preparation: Preparation): Uint8Array {
  const bytes = sized(pixels, preparation);
  const { background, channels, size } = preparation;
  if (background === null || background === behind(bytes, channels, size)) return bytes;
  return bytes.map((byte) => 255 - byte);
}

/** What is behind the things on an image, by the median at its border, as Python's `_background` has it. */
function behind(bytes: Uint8Array, channels: number, [height, width]: number[]): "dark" | "light" {
  const [rows, columns] = [height as number, width as number];
  const border: number[] = [];
  const add = (row: number, column: number) => border.push(...bytes.subarray((row * columns + column) * channels).subarray(0, channels));
  for (let column = 0; column < columns; column++) [0, rows - 1].forEach((row) => add(row, column));
  for (let row = 0; row < rows; row++) [0, columns - 1].forEach((column) => add(row, column));
  border.sort((one, other) => one - other);
  const middle = border.length / 2;
  return ((border[middle - 1] as number) + (border[middle] as number)) / 2 > 127 ? "light" : "dark";
}

/** The same, as light and dark as the image is. */
function sized({ width, height, data }: Pixels, { channels, size, resize, shorter, resample }: Preparation): Uint8Array {
  let bytes = new Uint8Array(width * height * channels);
  for (let at = 0; at < width * height; at++) {
    if (channels === 1) bytes[at] = (GRAY.reduce((sum, part, i) => sum + part * (data[4 * at + i] as number), 0) + 0x8000) >> 16;
    else for (let i = 0; i < 3; i++) bytes[3 * at + i] = data[4 * at + i] as number;
  }
  const least = Math.min(width, height);
  const [tall, wide] = shorter ? [height, width].map((side) => Math.floor((shorter * side) / least)) as [number, number] : (resize ?? [height, width]);
  // Along the columns first where they lose more: each of the two steps rounds.
  const columnsFirst = tall < height && height - tall > 2 * (width - wide);
  if (columnsFirst) bytes = resized(bytes, 1, height, tall, width * channels, resample);
  bytes = resized(bytes, columnsFirst ? tall : height, width, wide, channels, resample);
  if (!columnsFirst) bytes = resized(bytes, 1, height, tall, wide * channels, resample);
  const [rows, columns] = size;
  const [top, left] = [Math.floor((tall - rows) / 2), Math.floor((wide - columns) / 2)];
  if (tall === rows && wide === columns) return bytes;
  const cut = new Uint8Array(rows * columns * channels); // black, where the image is smaller
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (let i = 0; i < channels; i++) {
        const inside = top + row >= 0 && top + row < tall && left + column >= 0 && left + column < wide;
        if (inside) cut[(row * columns + column) * channels + i] = bytes[((top + row) * wide + left + column) * channels + i] as number;
      }
  return cut;
}

/** The middle one of three sizes, (outer, from, inner), made `to`. */
function resized(bytes: Uint8Array<ArrayBuffer>, outer: number, from: number, to: number, inner: number, filter: number): Uint8Array<ArrayBuffer> {
  if (from === to) return bytes;
  const found = new Uint8Array(outer * to * inner);
  const scale = from / to;
  const wide = Math.max(scale, 1);
  for (let at = 0; at < to; at++) {
    const center = (at + 0.5) * scale;
    const first = Math.max(0, Math.trunc(center - reach(filter) * wide + 0.5));
    const end = Math.min(from, Math.trunc(center + reach(filter) * wide + 0.5));
    const parts = Array.from({ length: end - first }, (_, i) => weight(filter, (i + first - center + 0.5) * (1 / wide)));
    const sum = parts.reduce((one, other) => one + other, 0);
    const whole = Int32Array.from(parts, (part) => Math.trunc((part / sum) * 2 ** BITS + (part < 0 ? -0.5 : 0.5)));
    for (let row = 0; row < outer; row++)
      for (let i = 0; i < inner; i++) {
        let value = 2 ** (BITS - 1);
        for (let k = 0; k < whole.length; k++) value += (whole[k] as number) * (bytes[(row * from + first + k) * inner + i] as number);
        found[(row * to + at) * inner + i] = Math.min(255, Math.max(0, value >> BITS));
      }
  }
  return found;
}

/** What the model takes of these bytes, patch by patch, the channels of each one behind the other. */
export function patches(bytes: ArrayLike<number>, { channels, size, patch, factor, mean, std }: Preparation): Float32Array {
  const [[height, width], [rows, columns]] = [size, patch];
  const found = new Float32Array(height * width * channels);
  const { fround } = Math;
  const scales = [mean, std].map((all) => all.map(fround)) as [number[], number[]];
  let at = 0;
  for (let top = 0; top < height; top += rows)
    for (let left = 0; left < width; left += columns)
      for (let i = 0; i < channels; i++)
        for (let row = top; row < top + rows; row++)
          for (let column = left; column < left + columns; column++) {
            const byte = bytes[(row * width + column) * channels + i] as number;
            found[at++] = fround(fround(byte * fround(factor)) - (scales[0][i] as number)) / (scales[1][i] as number);
          }
  return found;
}

/** The bytes as the text of an image, which a page shows: a bitmap, whose rows begin at the last. */
export function bitmap(bytes: ArrayLike<number>, { channels, size: [height, width] }: Preparation): string {
  const line = 4 * Math.ceil((3 * width) / 4);
  const file = new DataView(new ArrayBuffer(54 + line * height));
  file.setUint16(0, 0x424d); // "BM"
  for (const [place, value] of [[2, file.byteLength], [10, 54], [14, 40], [18, width], [22, height], [26, 1 + (24 << 16)]] as const) file.setUint32(place, value, true);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      for (let i = 0; i < 3; i++) {
        const byte = bytes[(row * width + column) * channels + (channels === 1 ? 0 : 2 - i)] as number; // blue first
        file.setUint8(54 + (height - 1 - row) * line + 3 * column + i, byte);
      }
  let text = "";
  for (let at = 0; at < file.byteLength; at++) text += String.fromCharCode(file.getUint8(at));
  return `data:image/bmp;base64,${btoa(text)}`;
}
