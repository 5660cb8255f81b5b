/** Static word vectors: looked up as written, then in small letters; a word without one has a stand-in. */
import { fromBase64 } from "../base64";
import { principal, type Matrix } from "./plane";

/** Words, and float16 numbers in base64, `dim` for each. */
export interface WordFile {
  name: string;
  words: string[];
  dim: number;
  vectors: string;
}

const CLOSE = 0.65; // of difflib's ratio, as in regard/course/words/vectors.py

export class WordTable {
  readonly name: string;
  readonly dim: number;
  private readonly rows: Map<string, number>;
  private readonly numbers: Uint16Array;
  private axes: Matrix | null = null;

  constructor({ name, words, dim, vectors }: WordFile) {
    [this.name, this.dim] = [name, dim];
    this.rows = new Map(words.map((word, row): [string, number] => [word, row]).reverse());
    this.numbers = new Uint16Array(fromBase64(vectors).buffer);
  }

  /** The word's vector; null for a word without one. */
  find(word: string): number[] | null {
    const row = this.rows.get(word) ?? this.rows.get(word.toLowerCase());
    return row === undefined ? null : this.vector(row);
  }

  /** The directions, (dim, width), that keep most of all vectors. */
  directions(width: number): Matrix {
    this.axes ??= principal([...this.rows.values()].map((row) => this.vector(row)), this.dim);
    return this.axes.map((row) => row.slice(0, width));
  }

  /** The known word whose spelling is most similar; null where too many letters differ, and for a name. */
  nearest(word: string): string | null {
    if (/^\p{Lu}/u.test(word)) return null;
    const small = word.toLowerCase();
    const number = /^\p{Nd}+$/u;
    let [best, most] = [null as string | null, CLOSE];
    for (const other of this.rows.keys()) {
      const letters = other.length + small.length;
      if (number.test(other) !== number.test(word) || (2 * Math.min(other.length, small.length)) / letters < most) continue;
      const ratio = (2 * alike(other, small)) / letters;
      if (ratio > most || (ratio === most && (best === null || other > best))) [best, most] = [other, ratio];
    }
    return best;
  }

  private vector(row: number): number[] {
    return Array.from(this.numbers.subarray(row * this.dim, (row + 1) * this.dim), half);
  }
}

/** Letters in matching blocks (Ratcliff & Metzener 1988): the longest, then on both sides of it. */
function alike(one: string, other: string): number {
  let [from, to, length] = [0, 0, 0];
  for (let i = 0; i < one.length - length; i++)
    for (let j = 0; j < other.length - length; j++) {
      let k = 0;
      while (i + k < one.length && j + k < other.length && one[i + k] === other[j + k]) k++;
      if (k > length) [from, to, length] = [i, j, k];
    }
  if (!length) return 0;
  return length + alike(one.slice(0, from), other.slice(0, to)) + alike(one.slice(from + length), other.slice(to + length));
}

/** A number of 16 bits, IEEE 754. */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024);
}
