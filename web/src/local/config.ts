/** Description of a file's model; `regard.studio.translator_page` writes it. */
import type { components } from "../schema";
import type { ModelInfo } from "../source";
import type { Reads } from "./text/readable";
import type { TokenizerFile } from "./text/tokenizer";
import type { Tensors } from "./weights";

type Schemas = components["schemas"];
export type Config = Schemas["PageConfig"];
export type Activation = Config["activation"];
export type Decoding = Schemas["PageDecoding"];
export type Side = keyof Schemas["PageScales"];

export interface ModelFile {
  info: ModelInfo;
  config: Config;
  tensors: Tensors;
  bytes: number; // of all tensors
  tokenizers: { source: TokenizerFile; target: TokenizerFile | null }; // null: the source's
  before: number[]; // ids around every text
  after: number[];
  prefix: string; // in front of every text
  special: string[]; // pieces that belong to no word
  decoding: Decoding;
  reads?: Reads; // the language of its texts
}
