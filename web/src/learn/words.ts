/** The words of a sentence, as the server takes them: letters and digits, an apostrophe inside, or a pictograph. */

const WORD =
  /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*|\p{Extended_Pictographic}[\p{M}\u{1F3FB}-\u{1F3FF}]*(?:\u200D\p{Extended_Pictographic}[\p{M}\u{1F3FB}-\u{1F3FF}]*)*/gu;

export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Two places as the words that they mean: −1 is the last, and none lies beyond it. */
export function places([first, second]: readonly [number, number], count: number): [number, number] {
  const within = (place: number) => Math.min(count - 1, place < 0 ? count + place : place);
  return [Math.max(0, within(first)), Math.max(0, within(second))];
}

/** Place of each word of the sentence after two have changed places. */
export function permutation(swap: readonly [number, number], count: number): number[] {
  const [first, second] = places(swap, count);
  const order = Array.from({ length: count }, (_, i) => i);
  [order[first], order[second]] = [second, first];
  return count ? order : [];
}

/** The sentence with two of its words in each other's place. */
export function swapped(text: string, swap: readonly [number, number]): string {
  const words = wordsOf(text);
  return permutation(swap, words.length)
    .map((place) => words[place])
    .join(" ");
}

/** The word to look at first: the longest, and of equally long ones the last. */
export function firstWord(words: readonly string[]): number {
  return words.reduce((best, word, i) => ([...word].length >= [...(words[best] ?? "")].length ? i : best), 0);
}
