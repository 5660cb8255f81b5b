/** Parts of a text that are pieces as they are, or longest pieces first. */
import type { WordFile, WordPieceFile } from "./tokenizer";

export function words({ vocab, unk_token }: WordFile): (part: string) => number[] {
  const of = new Map(Object.entries(vocab));
  const unknown = of.get(unk_token) as number;
  return (part) => [of.get(part) ?? unknown];
}

/** Wu et al. 2016: of what is left of a word, the longest piece; one unknown token where none is. */
export function wordPieces({ vocab, unk_token, continuing_subword_prefix: inside, max_input_chars_per_word: most }: WordPieceFile): (part: string) => number[] {
  const of = new Map(Object.entries(vocab));
  const unknown = of.get(unk_token) as number;
  return (part) => {
    const letters = [...part];
    const ids: number[] = [];
    if (letters.length > most) return [unknown];
    for (let first = 0; first < letters.length; ) {
      let end = letters.length;
      const piece = () => of.get((first ? inside : "") + letters.slice(first, end).join(""));
      while (end > first && piece() === undefined) end--;
      if (end === first) return [unknown];
      ids.push(piece() as number);
      first = end;
    }
    return ids;
  };
}
