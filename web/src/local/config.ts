/** Description of a file's model; `regard.studio.translator_page` writes it. */
import type { components } from "../schema";
import type { ModelInfo } from "../source";
import type { Reads } from "./text/readable";
import type { TokenizerFile } from "./text/tokenizer";
import type { Tensors } from "./weights";

type Schemas = components["schemas"];
export type Config = Schemas["PageConfig"];
export type Decoding = Schemas["PageDecoding"];
export type Side = keyof Schemas["PageScales"];

/** An attention layer, by the name that it has on the page. */
export interface Tap {
  name: string;
  side: Side;
  kind: "self" | "cross";
  layer: number;
  heads: number;
  dim: number;
  scale: number; // of q·k
}

/** All attention layers, the encoder's first. */
export function tapsOf(config: Config): Tap[] {
  const of = (side: Side, kinds: readonly Tap["kind"][]) =>
    Array.from({ length: config[`${side}_layers`] }, (_, layer) =>
      kinds.map((kind) => ({
        name: `${side}.layers.${layer}.${kind}`,
        side,
        kind,
        layer,
        heads: config[`${side}_heads`],
        dim: config[`${side}_head_dim`],
        scale: config.score_scale[side],
      })));
  return [of("encoder", ["self"]), of("decoder", ["self", "cross"])].flat(2);
}

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
