/** Description of a file's model; `regard.studio.translator_page` writes it. */
import type { ModelInfo } from "../source";
import type { TokenizerFile } from "./text/tokenizer";
import type { Tensors } from "./weights";

export type Activation = "relu" | "silu" | "gelu_tanh";

export interface Config {
  d_model: number;
  encoder_layers: number;
  decoder_layers: number;
  encoder_heads: number;
  decoder_heads: number;
  encoder_head_dim: number;
  decoder_head_dim: number;
  score_scale: { encoder: number; decoder: number }; // what q·k is multiplied by
  norm: "pre" | "post";
  norm_kind: "layer" | "rms";
  norm_eps: number;
  activation: Activation;
  positions: "sinusoidal" | "learned";
  position_offset: number;
  max_positions: number;
  embedding_scale: number;
  output_scale: number; // of the last hidden states
}

/** Settings of decoding, those that the page follows. */
export interface Decoding {
  max_new_tokens: number;
  min_new_tokens: number;
  num_beams: number;
  length_penalty: number;
  early_stopping: boolean | "never";
  eos_ids: number[];
  start_id: number;
  forbidden_ids: number[]; // tokens that are never written
  renormalized: boolean; // what the settings leave sums to 1 again
  forced_bos_id: number | null; // the first new token
  forced_eos_id: number | null; // the last one where max_new_tokens is reached
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
}

export type Side = "encoder" | "decoder";
