/** One row of a map: all of it, or where it is very long its largest values. */
import type { Head, Source, TapInfo } from "../source";
import { fetchRows } from "../weights/matrix";

const LONGEST = 1 << 16; // numbers in one answer
const LARGEST = 256;

export async function fetchRow(
  source: Source, id: string, tap: TapInfo, head: Head, quantity: "weight" | "norm", row: number, signal?: AbortSignal,
): Promise<Float32Array> {
  if (tap.columns <= LONGEST) {
    return (await fetchRows(source, id, tap, head, quantity, { first: row, end: row + 1 }, signal)).values;
  }
  const values = new Float32Array(tap.columns);
  const { looks } = await source.looks(id, { tap: tap.name, head, query: row, k: LARGEST, quantity }, signal);
  for (const { position, weight } of looks) values[position] = weight;
  return values;
}
