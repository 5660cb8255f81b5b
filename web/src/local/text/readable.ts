import { spelled } from "./letters";

/** Texts that a model could only guess at, refused as `check_readable` in Python refuses them. */
export interface Reads {
  rarest: number | null; // rarity of a text in the model's language; null: any
  words: string; // the most frequent of its language, in that order, with spaces between
}

const MOST_UNKNOWN = 0.5; // share of a text's characters
const FEWEST = 4; // words of a text whose language is judged
const [CERTAIN_LETTERS, CERTAIN_MARGIN] = [100, 5]; // of a text that is certainly in another language
const UNKNOWN = 64; // times the last rank, for a word that is not among those

export interface Readability {
  /** `unknown`: the share of the text's characters that the vocabulary lacks. */
  check(text: string, unknown: number): void;
  /** Notes on a text that seems to be in another language. */
  doubts(text: string): string[];
}

export function readability(name: string, reads: Reads | undefined): Readability {
  const ranks = new Map<string, number>();
  for (const [at, word] of (reads?.words.split(" ") ?? []).entries()) ranks.set(word, at + 1);
  const rarer = (text: string, margin: number) => reads !== undefined && reads.rarest !== null && rarity(text, ranks) > reads.rarest + margin;
  const doubts = (text: string) => rarer(text, 0) ? [`the text seems to be in another language than ${name} reads, so the translation may be a guess`] : [];
  const check = (text: string, unknown: number) => {
    if (unknown > MOST_UNKNOWN)
      throw new Error(
        `${name} cannot read this text: its vocabulary lacks ${Math.round(100 * unknown)}% of the characters of ${quoted(text)}.` +
          " Give a text in its language, or choose another model.",
      );
    const letters = [...spelled(text).join("")].length;
    if (letters >= CERTAIN_LETTERS && rarer(text, CERTAIN_MARGIN))
      throw new Error(`${quoted(text)} is in another language than ${name} reads. Give a text in that one, or choose another model.`);
  };
  return { check, doubts };
}

/** Mean binary logarithm of the ranks of a text's words, without names; 0 of too few words. */
function rarity(text: string, ranks: ReadonlyMap<string, number>): number {
  const all = spelled(text);
  const small = all.filter((word, at) => at === 0 || !/^\p{Lu}/u.test(word));
  const words = small.length >= FEWEST ? small : all;
  if (words.length < FEWEST) return 0;
  const folded = words.map((word) => word.toLowerCase());
  return folded.reduce((sum, word) => sum + Math.log2(ranks.get(word) ?? UNKNOWN * ranks.size), 0) / words.length;
}

export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return short.includes("'") && !short.includes('"') ? `"${short}"` : `'${short}'`;
}
