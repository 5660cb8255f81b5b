"""Random models as GGUF files, the format of llama.cpp."""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind
from safetensors.numpy import load_file

# Names of our layout's tensors → GGUF's; N is the number of a layer.
GPT2 = {
    "transformer.wte.weight": "token_embd.weight",
    "transformer.wpe.weight": "position_embd.weight",
    "transformer.ln_f": "output_norm",
    "transformer.h.N.ln_1": "blk.N.attn_norm",
    "transformer.h.N.attn.c_attn": "blk.N.attn_qkv",
    "transformer.h.N.attn.c_proj": "blk.N.attn_output",
    "transformer.h.N.ln_2": "blk.N.ffn_norm",
    "transformer.h.N.mlp.c_fc": "blk.N.ffn_up",
    "transformer.h.N.mlp.c_proj": "blk.N.ffn_down",
}
LLAMA = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm": "output_norm",
    "model.layers.N.input_layernorm": "blk.N.attn_norm",
    "model.layers.N.self_attn.q_proj": "blk.N.attn_q",
    "model.layers.N.self_attn.k_proj": "blk.N.attn_k",
    "model.layers.N.self_attn.v_proj": "blk.N.attn_v",
    "model.layers.N.self_attn.o_proj": "blk.N.attn_output",
    "model.layers.N.self_attn.q_norm": "blk.N.attn_q_norm",
    "model.layers.N.self_attn.k_norm": "blk.N.attn_k_norm",
    "model.layers.N.post_attention_layernorm": "blk.N.ffn_norm",
    "model.layers.N.mlp.gate_proj": "blk.N.ffn_gate",
    "model.layers.N.mlp.up_proj": "blk.N.ffn_up",
    "model.layers.N.mlp.down_proj": "blk.N.ffn_down",
}


def converted(folder: Path, kind: str, stored: str | None = None) -> Path:
    """The GGUF file of a folder's model, its matrices in this kind of llama.cpp's; it is made if it
    is not there.

    Args:
        stored: another kind, in which the matrices stand once the first has rounded them.
    """
    file = folder / f"{kind}{(stored and f' as {stored}') or ''}.gguf"
    if file.is_file():
        return file
    config = json.loads((folder / "config.json").read_text())
    unfinished = file.with_suffix(".part")
    writer = gguf.GGUFWriter(unfinished, config["model_type"])
    _describe(writer, config)
    names = GPT2 if config["model_type"] == "gpt2" else LLAMA
    for name, value in load_file(folder / "model.safetensors").items():
        found = _name(name, names)
        if found is None:
            continue
        if ".c_" in name and value.ndim == 2:
            value = value.T  # GPT-2's projections are (d_in, d_out)
        value = np.ascontiguousarray(value, np.float32)
        if config["model_type"] == "llama" and (".attn_q." in found or ".attn_k." in found):
            heads = "num_attention_heads" if "_q." in found else "num_key_value_heads"
            halves = value.reshape(
                config[heads], 2, -1, *value.shape[1:]
            )  # whose pairs lie together
            value = np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(value.shape)
        quantize = value.ndim == 2 and "position" not in found
        type = Kind[kind] if quantize else Kind.F32
        data = gguf.quants.quantize(value, type) if quantize else value
        if quantize and stored is not None:
            value, type = gguf.quants.dequantize(data, type), Kind[stored]
            data = gguf.quants.quantize(value, type)
        writer.add_tensor(found, data, raw_dtype=type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return unfinished.rename(file)


def _describe(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    gpt2 = config["model_type"] == "gpt2"
    width, layers, heads = (
        ("n_embd", "n_layer", "n_head")
        if gpt2
        else (
            "hidden_size",
            "num_hidden_layers",
            "num_attention_heads",
        )
    )
    writer.add_context_length(config["n_positions" if gpt2 else "max_position_embeddings"])
    writer.add_embedding_length(config[width])
    writer.add_block_count(config[layers])
    writer.add_head_count(config[heads])
    if gpt2:
        writer.add_feed_forward_length(4 * config[width])
        writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    else:
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        head_dim = config.get("head_dim") or config["hidden_size"] // config[heads]
        writer.add_rope_dimension_count(head_dim)
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
        writer.add_rope_freq_base(
            config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        )
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(config["vocab_size"])


def _name(name: str, names: dict[str, str]) -> str | None:
    parts = name.split(".")
    number = next((part for part in parts if part.isdigit()), "")
    general = ".".join("N" if part == number else part for part in parts)
    for ours, theirs in names.items():
        if general == ours or general in (f"{ours}.weight", f"{ours}.bias"):
            found = theirs if general == ours else theirs + general.removeprefix(ours)
            return found.replace(".N.", f".{number}.")
    return None
