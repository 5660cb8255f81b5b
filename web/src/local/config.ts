/** Description of a file's model; `regard.studio.live_page` writes it. */
import type { components } from "../schema";
import type { ModelInfo } from "../source";
import type { Reads } from "./text/readable";
import type { TokenizerFile } from "./text/tokenizer";
import type { Tensors } from "./weights";

type Schemas = components["schemas"];
export type Config = Schemas["PageConfig"];
export type Decoding = Schemas["PageDecoding"];
export type Reading = Schemas["PageReading"];
export type Tap = Schemas["PageTap"];
export type Side = Tap["side"];

export interface ModelFile {
  info: ModelInfo;
  config: Config;
  tensors: Tensors;
  bytes: number; // of all tensors
  tokenizers: { source: TokenizerFile | null; target: TokenizerFile | null }; // of images none; null behind it: the source's
  before: number[]; // ids around every text
  after: number[];
  prefix: string; // in front of every text
  special: string[]; // pieces that belong to no word
  decoding: Decoding | null; // null: it reads
  reading: Reading | null; // null: it writes
  reads?: Reads; // the language of its texts
  sentences?: { language: string; longest: number; copied: string | null; letters: string | null } | null; // a text is translated sentence by sentence
}
