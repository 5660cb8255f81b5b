/** Text to token ids and back, as a tokenizer.json says: BPE, WordPiece and whole words. */
import { lettersOf } from "../../weights/naming";
import { bpe } from "./bpe";
import { bert, type BertNormalizer } from "./bert";
import { BYTES, splitter, type PreTokenizer } from "./split";
import { wordPieces, words } from "./words";

export interface TokenizerFile {
  added_tokens: { id: number; content: string; special: boolean }[];
  normalizer: Normalizer | null;
  pre_tokenizer: PreTokenizer;
  model: SubwordFile;
  decoder: { type: string; decoders?: { type: string }[] } | null;
}

type SubwordFile = BpeFile | WordPieceFile | WordFile;

interface Normalizer extends Partial<BertNormalizer> {
  type: string;
  normalizers?: Normalizer[];
  pattern?: { Regex?: string; String?: string };
  content?: string;
}

export interface BpeFile {
  type: "BPE";
  vocab: Record<string, number>;
  merges: (string | [string, string])[];
  unk_token: string | null;
  byte_fallback?: boolean;
}

export interface WordFile {
  type: "WordLevel";
  vocab: Record<string, number>;
  unk_token: string;
}

export interface WordPieceFile extends Omit<WordFile, "type"> {
  type: "WordPiece";
  continuing_subword_prefix: string;
  max_input_chars_per_word: number;
}

export interface Tokenizer {
  encode(text: string): number[];
  /** Share of a text's characters, spaces not counted, that the vocabulary lacks or has as lone letters. */
  unknownShare(text: string): number;
  /** Without special tokens, and without ids that the vocabulary lacks. */
  decode(ids: readonly number[]): string;
  /** The piece of an id, as a reader sees it; null for one that the vocabulary lacks. */
  piece(id: number): string | null;
  /** The bytes of a piece that is one, or that is a part of a letter; null of any other. */
  bytes(id: number): number[] | null;
}

const DECODERS = ["ByteFallback, Metaspace", "ByteLevel", "WordPiece", "Fuse", ""];

/** Throws an Error of one sentence for a tokenizer of another kind. */
export function tokenizer(file: TokenizerFile): Tokenizer {
  const normalized = normalizer(file.normalizer);
  const decoders = (file.decoder?.decoders ?? [file.decoder]).map((each) => each?.type ?? "").join(", ");
  if (!DECODERS.includes(decoders)) throw refuse("decoder", decoders);
  const split = splitter(file.pre_tokenizer);
  const merged = subwords(file.model);
  const pieces: string[] = [];
  for (const [piece, id] of Object.entries(file.model.vocab)) pieces[id] = piece;
  // A letter that stands in no subword of two letters is foreign: a text or two named it.
  const letters = (piece: string) => piece.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const known = new Map<string, boolean>(); // characters that were asked for
  const isKnown = (character: string) => {
    const found = known.get(character) ?? pieces.some((piece) => piece.includes(character) && !BYTE.test(piece) && letters(piece) !== 1);
    known.set(character, found);
    return found;
  };
  const special = new Set<number>();
  for (const { id, content, special: apart } of file.added_tokens) {
    pieces[id] = content;
    if (apart) special.add(id);
    else throw refuse("vocabulary", `one with the added token ${content}`);
  }
  return {
    encode: (text) => split(normalized(text)).flatMap(merged),
    unknownShare: (text) => {
      const characters = [...normalized(text)].filter((character) => character.trim());
      return characters.filter((character) => !isKnown(character)).length / Math.max(1, characters.length);
    },
    decode: (ids) => (decoders === "ByteLevel" ? fromBytes : joined)(ids.filter((id) => !special.has(id) && pieces[id] !== undefined).map((id) => pieces[id] as string)),
    piece: (id) => {
      const found = pieces[id] ?? null;
      if (found === null || decoders !== "ByteLevel" || special.has(id)) return found;
      const text = fromBytes([found]);
      return /\p{Cc}/u.test(text) && text !== "\n" ? found : text;
    },
    bytes: (id) => {
      const piece = pieces[id] ?? "";
      const byte = BYTE.exec(piece);
      if (decoders !== "ByteLevel") return byte && [parseInt(byte[1] as string, 16)];
      const codes = [...piece].map((letter) => PLACES.get(letter));
      return codes.every((code) => code !== undefined) && lettersOf(codes) === null ? codes : null;
    },
  };
}

/** A part of a text → ids. */
function subwords(model: SubwordFile): (part: string) => number[] {
  if (model.type === "BPE") return bpe(model);
  if (model.type === "WordPiece") return wordPieces(model);
  if (model.type === "WordLevel") return words(model);
  throw refuse("model", (model as { type: string }).type);
}

function refuse(what: string, type: string): Error {
  return new Error(`This page reads tokenizers of BPE, WordPiece and whole words; this one's ${what} is ${type}.`);
}

function normalizer(step: Normalizer | null): (text: string) => string {
  if (!step) return (text) => text;
  if (step.type === "NFC") return (text) => text.normalize("NFC");
  if (step.type === "BertNormalizer") return bert(step as BertNormalizer);
  const { pattern, content = "" } = step;
  if (step.type === "Replace" && pattern?.String !== undefined) return (text) => text.replaceAll(pattern.String as string, () => content);
  if (step.type === "Replace" && pattern?.Regex !== undefined) {
    const found = new RegExp(pattern.Regex, "gu");
    return (text) => text.replace(found, () => content);
  }
  if (step.type !== "Sequence" || !step.normalizers) throw refuse("normalizer", step.type);
  const steps = step.normalizers.map(normalizer);
  return (text) => steps.reduce((changed, each) => each(changed), text);
}

const PLACES = new Map(BYTES.map((letter, byte) => [letter, byte]));

/** Pieces of GPT-2's letters for bytes as text. */
function fromBytes(pieces: readonly string[]): string {
  const bytes = [...pieces.join("")].map((letter) => PLACES.get(letter) ?? 63);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

const BYTE = /^<0x([0-9A-F]{2})>$/;

/** Pieces as text: runs of bytes as UTF-8, or a � for each where they are not; ▁ as spaces. */
function joined(pieces: string[]): string {
  const texts: string[] = [];
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length) texts.push(lettersOf(bytes) ?? "\uFFFD".repeat(bytes.length));
    bytes = [];
  };
  for (const piece of pieces) {
    const byte = BYTE.exec(piece);
    if (byte) bytes.push(parseInt(byte[1] as string, 16));
    else {
      flush();
      texts.push(piece);
    }
  }
  flush();
  return texts.map((text, i) => text.replaceAll("▁", i ? " " : "")).join("");
}
