/** Byte-pair encoding: the characters of a part are merged pair by pair, the earliest learned first. */
import type { BpeFile } from "./tokenizer";

/** A part of a text → ids. A character without a piece is spelled in bytes. */
export function bpe(file: BpeFile): (part: string) => number[] {
  const { vocab } = file;
  const ranks = new Map<string, number>();
  for (const [rank, merge] of file.merges.entries()) ranks.set(typeof merge === "string" ? merge : `${merge[0]} ${merge[1]}`, rank);
  const unknown = file.unk_token === null ? undefined : vocab[file.unk_token];
  const known = new Map<string, number[]>();

  const start = (part: string): string[] =>
    [...part].flatMap((character) => {
      if (character in vocab) return [character];
      const bytes = [...new TextEncoder().encode(character)].map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
      if (file.byte_fallback && bytes.every((byte) => byte in vocab)) return bytes;
      return file.unk_token === null ? [] : [file.unk_token];
    });

  const merged = (part: string): number[] => {
    const pieces = start(part);
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < pieces.length; i++) {
        const rank = ranks.get(`${pieces[i]} ${pieces[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) break;
      pieces.splice(at, 2, `${pieces[at]}${pieces[at + 1]}`);
    }
    return pieces.map((piece) => vocab[piece] ?? (unknown as number));
  };

  return (part) => {
    let ids = known.get(part);
    if (!ids) known.set(part, (ids = merged(part)));
    return ids;
  };
}
