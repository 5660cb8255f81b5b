"""Settings of a GGUF file's model, in the words of config.json, and its names of our weights.

One row for each architecture of llama.cpp that a family here computes. What its converter changes:
https://github.com/ggml-org/llama.cpp/tree/master/conversion
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints.families import TYPES
from regard.checkpoints.family import Family, Place, Table, rename
from regard.errors import DamagedFileError, UnsupportedError
from regard.models.configs.scaling import Llama3Scaling

Settings = dict[str, Any]  # the content of config.json
_FACTORS = "rope_freqs.weight"  # what Llama 3.1 divides its frequencies by, (head_dim / 2,)
_LONG = {f"{kind}_factor": f"rope_factors_{kind}.weight" for kind in ("short", "long")}  # Phi-3's
POOLING = {1: "mean", 2: "cls", 3: "last"}  # by pooling_type


@dataclass(frozen=True)
class File:
    """Content of a file: the metadata by their names behind the architecture, and its tensors."""

    architecture: str
    said: Mapping[str, Any]
    facts: Mapping[str, Any]  # all metadata, by their whole names
    tensors: Mapping[str, Any]  # the package's, by their names

    def needs(self, name: str) -> Any:
        """Return a fact that there must be."""
        if name not in self.said:
            raise DamagedFileError(
                f"the GGUF file must have the key {self.architecture}.{name}, which is missing."
                " Convert the model again."
            )
        return self.said[name]


@dataclass(frozen=True)
class Architecture:
    """An architecture's settings and names of tensors."""

    model_type: str  # of config.json
    model: str  # its class in transformers
    keys: Mapping[str, str]  # of metadata → of config.json
    more: Mapping[str, str] = field(default_factory=dict)  # which a file may lack
    settings: Mapping[str, Any] = field(default_factory=dict)  # of all its models
    # (what the file says, config.json so far) → what follows from several facts
    read: Callable[[File, Settings], Settings] = lambda file, settings: {}
    unused: tuple[str, ...] = ()  # metadata that decide on nothing
    names: Table = ()  # (ours, theirs), before those that all have
    is_encoder: bool = False  # it has no output projection
    interleaved: bool = False  # the halves of a head of queries and keys take turns
    ends: tuple[str, ...] = ("<end_of_turn>", "<|eot_id|>", "<|im_end|>", "<|end|>")  # of a turn


def settings_of(file: File) -> Settings:
    """Return the content of the config.json that a file stands for.

    Raises:
        UnsupportedError: an architecture or a setting that regard lacks.
        DamagedFileError: a setting that is missing, or does not fit the others.
    """
    kind = architecture_of(file)
    readable = {*kind.keys, *kind.more, *kind.unused, "vocab_size"}
    if unknown := sorted(set(file.said) - readable):
        raise UnsupportedError(
            f"the setting {file.architecture}.{unknown[0]} of the GGUF file is not implemented."
            " Open the model's own folder."
        )
    if "token_embd.weight" not in file.tensors:
        raise DamagedFileError(
            "the GGUF file has no token_embd.weight, the table of embeddings. Copy it again from"
            " where it came from; a file of images or of an adapter alone is no model."
        )
    rows = int(file.tensors["token_embd.weight"].shape[-1])
    if file.said.get("vocab_size", rows) != rows:
        raise DamagedFileError(
            f"{file.architecture}.vocab_size of the GGUF file is {file.said['vocab_size']}, but its"
            f" embeddings have {rows} rows. Copy the file again from where it came from."
        )
    settings: Settings = {**kind.settings}
    settings |= {key: file.needs(name) for name, key in kind.keys.items()}
    settings |= {key: file.said[name] for name, key in kind.more.items() if name in file.said}
    ids = {"bos": "bos", "eos": "eos", "pad": "padding"}
    settings |= {
        f"{name}_token_id": file.facts[f"tokenizer.ggml.{theirs}_token_id"]
        for name, theirs in ids.items()
        if f"tokenizer.ggml.{theirs}_token_id" in file.facts
    }
    settings |= {
        "model_type": kind.model_type,
        "architectures": [kind.model],
        "vocab_size": rows,
        "tie_word_embeddings": kind.is_encoder or "output.weight" not in file.tensors,
    }
    return settings | kind.read(file, settings)


def architecture_of(file: File) -> Architecture:
    """Return the row of a file's architecture."""
    if file.architecture not in ARCHITECTURES:
        raise UnsupportedError(
            f"general.architecture of a GGUF file must be one of {', '.join(ARCHITECTURES)} here;"
            f" it is {file.architecture!r}. Open the model's own folder."
        )
    return ARCHITECTURES[file.architecture]


def family_of(file: File, model_type: str) -> Family:
    """Return the family of a file's model, with the names that its weights have in the file."""
    kind = architecture_of(file)

    def place(name: str, config: Any) -> str | Place:
        return _place(name, config, file.tensors, (*kind.names, *_NAMES))

    family = TYPES[model_type].family
    return replace(
        family,
        place=place,
        head=dict.fromkeys(["language_model", *family.head], ()),
        aliases=lambda config: {},
        complete=None,
        base="",
        renamed=(),
        ignored=(_FACTORS, *_LONG.values(), "dec.blk.*.cross_attn_rel_b.weight"),
    )


# Replaced in this order, inside every name of our state dict.
_NAMES = (
    ("encoder.embed.", "embed."),
    ("decoder.embed.", "embed."),
    ("embed.tokens", "token_embd"),
    ("embed.positions", "position_embd"),
    ("embed.token_types", "token_types"),
    ("embed.norm", "token_embd_norm"),
    ("encoder.layers", "blk"),
    ("decoder.layers", "blk"),
    ("encoder.norm", "output_norm"),
    ("decoder.norm", "output_norm"),
    ("self_attention_output_norm", "post_attention_norm"),
    ("feed_forward_output_norm", "post_ffw_norm"),
    ("self_attention_norm", "attn_norm"),
    ("feed_forward_norm", "ffn_norm"),
    ("self_attention.sinks", "attn_sinks.weight"),
    ("self_attention.query", "attn_q"),
    ("self_attention.key", "attn_k"),
    ("self_attention.value", "attn_v"),
    ("self_attention.output", "attn_output"),
    ("feed_forward.router", "ffn_gate_inp"),
    ("feed_forward.gate", "ffn_gate"),
    ("feed_forward.inner", "ffn_up"),
    ("feed_forward.outer", "ffn_down"),
)
_BERT_NAMES = (
    ("self_attention_norm", "attn_output_norm"),
    ("feed_forward_norm", "layer_output_norm"),
)
_T5_NAMES = (
    ("encoder.relative_bias.table", "encoder.layers.0.attn_rel_b"),
    ("decoder.relative_bias.table", "decoder.layers.0.attn_rel_b"),
    ("self_attention.output", "attn_o"),
    ("cross_attention_norm", "cross_attn_norm"),
    ("cross_attention.query", "cross_attn_q"),
    ("cross_attention.key", "cross_attn_k"),
    ("cross_attention.value", "cross_attn_v"),
    ("cross_attention.output", "cross_attn_o"),
    ("encoder.layers", "enc.blk"),
    ("decoder.layers", "dec.blk"),
    ("encoder.norm", "enc.output_norm"),
    ("decoder.norm", "dec.output_norm"),
)
_EXPERT = re.compile(r"feed_forward\.experts\.(\d+)\.(\w+)")


def _place(name: str, config: Any, tensors: Mapping[str, Any], names: Table) -> str | Place:
    """Return a weight's name in the file, or its place in a tensor of several."""
    if expert := _EXPERT.search(name):
        whole = name.replace(expert[0], f"feed_forward.{expert[2]}_exps")
        return Place(rename(whole, names), stack=config.experts, place=int(expert[1]))
    theirs = rename(name, names)
    if theirs in tensors:
        return _half(theirs, config, tensors, 1)
    layer, _, ending = theirs.rpartition(".")
    layer, _, part = layer.rpartition(".")
    joined = f"{layer}.attn_qkv.{ending}"
    if part in _SPANS and joined in tensors:
        heads = config.num_heads
        keys = getattr(config, "num_key_heads", None) or heads
        first, span = _SPANS[part](heads, keys)
        return Place(joined, part=first, parts=heads + 2 * keys, span=span)
    if part == "ffn_gate" and f"{layer}.ffn_up.{ending}" in tensors:
        return _half(f"{layer}.ffn_up.{ending}", config, tensors, 0)
    return theirs


_SPANS: Mapping[str, Callable[[int, int], tuple[int, int]]] = {
    "attn_q": lambda heads, keys: (0, heads),
    "attn_k": lambda heads, keys: (heads, keys),
    "attn_v": lambda heads, keys: (heads + keys, keys),
}


def _half(theirs: str, config: Any, tensors: Mapping[str, Any], part: int) -> str | Place:
    """Return the place of the inner projection, with which a file may have the gate joined."""
    is_joined = ".ffn_up." in theirs and theirs.replace("_up.", "_gate.") not in tensors
    return Place(theirs, part=part, parts=2) if is_joined and config.gated else theirs


def _decoder(file: File, settings: Settings) -> Settings:
    """Return what Llama's family and those made from it say of heads, biases and positions."""
    heads = settings["num_attention_heads"]
    head_dim = settings.get("head_dim", settings["hidden_size"] // heads)
    for name in ("rope.dimension_count", "attention.value_length"):
        if file.said.get(name, head_dim) != head_dim:
            raise UnsupportedError(
                f"{file.architecture}.{name} must be a head's {head_dim} numbers; the GGUF file"
                f" says {file.said[name]}. Open the model's own folder."
            )
    return {
        "num_key_value_heads": settings.get("num_key_value_heads", heads),
        "head_dim": head_dim,
        "attention_bias": "blk.0.attn_q.bias" in file.tensors,
        "mlp_bias": "blk.0.ffn_gate.bias" in file.tensors,
        "use_sliding_window": False,
        "rope_parameters": _rope(file, settings | {"head_dim": head_dim}),
    }


def _llama(file: File, settings: Settings) -> Settings:
    """Return a Llama's settings, or a Mixtral's: the files of both say "llama"."""
    values = _decoder(file, settings)
    if not file.said.get("expert_count"):
        return values
    return values | {
        "model_type": "mixtral",
        "architectures": ["MixtralForCausalLM"],
        "num_experts_per_tok": file.needs("expert_used_count"),
    }


def _phi3(file: File, settings: Settings) -> Settings:
    head_dim = settings["hidden_size"] // settings["num_attention_heads"]
    rotated = file.said.get("rope.dimension_count", head_dim)
    said = {name: fact for name, fact in file.said.items() if name != "rope.dimension_count"}
    values = _decoder(replace(file, said=said), settings)
    rope: Settings = {"partial_rotary_factor": rotated / head_dim}
    if _LONG["long_factor"] in file.tensors:
        rope |= {key: _numbers(file.tensors[name]) for key, name in _LONG.items()}
        rope |= {"rope_type": "longrope"}
        if "rope.scaling.attn_factor" in said:
            rope["attention_factor"] = said["rope.scaling.attn_factor"]
    return values | {
        "sliding_window": settings.get("sliding_window") or None,  # 0 means none
        "rope_parameters": values["rope_parameters"] | rope,
    }


def _gemma(file: File, settings: Settings) -> Settings:
    """Return a Gemma's settings; llama.cpp, too, tells by the layers what divides a score."""
    values = _decoder(file, settings)
    rope, layers = values.pop("rope_parameters"), settings["num_hidden_layers"]
    largest = {"gemma2": 46, "gemma3": 62}[file.architecture]
    width = values["head_dim"]
    if layers == largest:
        width = settings["hidden_size"] // settings["num_attention_heads"]
    if file.architecture == "gemma3":
        theta = file.said.get("rope.freq_base_swa", 10000.0)
        local = {"rope_type": "default", "rope_theta": theta}
        values["rope_parameters"] = {"full_attention": rope, "sliding_attention": local}
    else:
        values["rope_parameters"] = rope
    return values | {
        "query_pre_attn_scalar": width,
        "layer_types": _layer_types(file, layers, 2 if file.architecture == "gemma2" else 6),
    }


def _gpt_oss(file: File, settings: Settings) -> Settings:
    values = _decoder(file, settings)
    return values | {
        "layer_types": _layer_types(file, settings["num_hidden_layers"], 2),
        # so in each model of OpenAI's; the file does not say it
        "rope_parameters": values["rope_parameters"] | {"truncate": False},
    }


def _modern_bert(file: File, settings: Settings) -> Settings:
    thetas = {"full_attention": "rope.freq_base", "sliding_attention": "rope.freq_base_swa"}
    defaults = {"full_attention": 160000.0, "sliding_attention": 10000.0}
    layers = settings["num_hidden_layers"]
    return {
        "layer_types": _layer_types(file, layers, 3, full_first=True),
        "attention_bias": "blk.0.attn_qkv.bias" in file.tensors,
        "mlp_bias": "blk.0.ffn_up.bias" in file.tensors,
        "norm_bias": "output_norm.bias" in file.tensors,
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": file.said.get(name, defaults[kind])}
            for kind, name in thetas.items()
        },
    }


def _t5(file: File, settings: Settings) -> Settings:
    gated = "enc.blk.0.ffn_gate.weight" in file.tensors
    return {"feed_forward_proj": "gated-gelu" if gated else "relu"}


def _bert(file: File, settings: Settings) -> Settings:
    types = file.tensors.get("token_types.weight")
    if types is None:
        raise UnsupportedError(
            "a GGUF file of BERT must have token_types.weight, which is missing. Open the model's"
            " own folder."
        )
    return {"type_vocab_size": int(types.shape[-1]) if len(types.shape) > 1 else 1}


def _layer_types(file: File, layers: int, every: int, *, full_first: bool = False) -> list[str]:
    """Return the kinds of layers: of so many one has no window, the last or the first."""
    pattern: Any = file.said.get("attention.sliding_window_pattern", every)
    if not file.said.get("attention.sliding_window"):
        pattern = [False] * layers
    if isinstance(pattern, list):
        windowed = [bool(has) for has in pattern]
    else:
        place = 0 if full_first else int(pattern) - 1
        windowed = [pattern < 1 or index % pattern != place for index in range(layers)]
    return ["sliding_attention" if has else "full_attention" for has in windowed]


def _rope(file: File, settings: Mapping[str, Any]) -> Settings:
    theta, said = settings.get("rope_theta", 10000.0), file.said
    kind = said.get("rope.scaling.type", "none")
    parameters = {"rope_theta": theta, "rope_type": "default" if kind == "none" else kind}
    if kind != "none":
        first = said.get("rope.scaling.original_context_length", file.needs("context_length"))
        parameters["factor"] = said.get("rope.scaling.factor", 1.0)
        parameters |= {key: said[name] for name, key in _YARN.items() if name in said}
        return parameters | {"original_max_position_embeddings": first}
    if _FACTORS in file.tensors:
        return parameters | _llama3(file.tensors[_FACTORS].data, settings["head_dim"], theta)
    return parameters


def _llama3(factors: NDArray[Any], head_dim: int, theta: float) -> Settings:
    """Return the scaling of Llama 3 that gives these factors, which the file has in its place."""
    frequencies = theta ** -(np.arange(0, head_dim, 2) / head_dim)
    names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    values = (float(factors.max()), 1.0, 4.0, 8192)  # so in each model of Meta's
    scaled = Llama3Scaling(*values)(frequencies)
    if factors.shape != scaled.shape or not np.allclose(scaled * factors, frequencies, rtol=1e-4):
        raise UnsupportedError(
            f"{_FACTORS} of the GGUF file is not the scaling of Llama 3.1, the only one of this"
            " kind here. Open the model's own folder."
        )
    return {"rope_type": "llama3", **dict(zip(names, values, strict=True))}


def _numbers(tensor: Any) -> list[float]:
    return [float(number) for number in tensor.data]


_SIZES = {
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "block_count": "num_hidden_layers",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
}
_RMS = _SIZES | {"attention.layer_norm_rms_epsilon": "rms_norm_eps"}
_MORE = {
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "rope.freq_base": "rope_theta",
}
_YARN = {
    "rope.scaling.yarn_beta_fast": "beta_fast",
    "rope.scaling.yarn_beta_slow": "beta_slow",
    "rope.scaling.yarn_attn_factor": "attention_factor",
}
# Read by name above, or of no effect.
_POSITIONS = (
    *("rope.dimension_count", "attention.value_length", "rope.scaling.type", *_YARN),
    *("rope.scaling.factor", "rope.scaling.original_context_length", "rope.scaling.finetuned"),
)
_EXPERTS = {"expert_used_count": "num_experts_per_tok"}
_WINDOW = {"attention.sliding_window": "sliding_window"}
_PATTERN = (*_POSITIONS, "attention.sliding_window_pattern", "rope.freq_base_swa")
_CAPS = {
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
}
# What a file without them has: config.json's defaults are those of one vocabulary.
_NO_IDS = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"))
_ENCODER = ("attention.causal", "pooling_type")
_LOCAL = _RMS | _WINDOW


def _llama_like(model_type: str, model: str, **more: Any) -> Architecture:
    """Return a row of Llama's keys."""
    values: Settings = dict(keys=_RMS, more=_MORE, read=_decoder, unused=_POSITIONS)
    values["settings"] = _NO_IDS
    return Architecture(model_type, f"{model}ForCausalLM", **values | more)


ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": _llama_like(
        "llama",
        "Llama",
        more=_MORE | {"expert_count": "num_local_experts"},
        read=_llama,
        unused=(*_POSITIONS, "expert_used_count"),
        interleaved=True,
    ),  # Mistral's and Mixtral's files too
    "qwen2": _llama_like("qwen2", "Qwen2"),
    "qwen3": _llama_like("qwen3", "Qwen3"),
    "qwen3moe": _llama_like(
        "qwen3_moe",
        "Qwen3Moe",
        keys=_RMS
        | _EXPERTS
        | {"expert_count": "num_experts", "expert_feed_forward_length": "moe_intermediate_size"},
        settings=_NO_IDS | {"norm_topk_prob": True},  # llama.cpp computes no other
    ),
    "olmo2": _llama_like("olmo2", "Olmo2"),
    "smollm3": _llama_like("smollm3", "SmolLM3", interleaved=True),
    "phi3": _llama_like(
        "phi3",
        "Phi3",
        keys=_RMS | {"rope.scaling.original_context_length": "original_max_position_embeddings"},
        more=_MORE | _WINDOW,
        read=_phi3,
        unused=(*_POSITIONS, "rope.scaling.attn_factor"),
    ),
    "gemma2": _llama_like(
        "gemma2", "Gemma2", more=_MORE | _WINDOW | _CAPS, read=_gemma, unused=_PATTERN
    ),
    "gemma3": _llama_like(
        "gemma3_text", "Gemma3", more=_MORE | _WINDOW | _CAPS, read=_gemma, unused=_PATTERN
    ),
    "gpt-oss": _llama_like(
        "gpt_oss",
        "GptOss",
        keys=_LOCAL | _EXPERTS | {"expert_count": "num_local_experts"},
        read=_gpt_oss,
        unused=(*_PATTERN, "expert_feed_forward_length"),
        names=(("feed_forward_norm", "post_attention_norm"),),
        ends=("<|return|>", "<|call|>"),
    ),
    "gpt2": Architecture(
        "gpt2",
        "GPT2LMHeadModel",
        keys={
            "context_length": "n_positions",
            "embedding_length": "n_embd",
            "block_count": "n_layer",
            "feed_forward_length": "n_inner",
            "attention.head_count": "n_head",
            "attention.layer_norm_epsilon": "layer_norm_epsilon",
        },
        settings=_NO_IDS,
    ),
    "bert": Architecture(
        "bert",
        "BertModel",
        keys=_SIZES | {"attention.layer_norm_epsilon": "layer_norm_eps"},
        settings={"add_pooling_layer": False},
        is_encoder=True,
        read=_bert,
        unused=_ENCODER,
        names=_BERT_NAMES,
    ),
    "modern-bert": Architecture(
        "modernbert",
        "ModernBertModel",
        keys=_SIZES | {"attention.layer_norm_epsilon": "norm_eps"},
        more={"attention.sliding_window": "local_attention", "hidden_act": "hidden_activation"},
        settings=_NO_IDS,
        is_encoder=True,
        read=_modern_bert,
        unused=(*_ENCODER, *_PATTERN, "rope.freq_base", "attention.layer_norm_rms_epsilon"),
    ),
    "t5": Architecture(
        "t5",
        "T5ForConditionalGeneration",
        keys={
            "embedding_length": "d_model",
            "attention.key_length": "d_kv",
            "feed_forward_length": "d_ff",
            "block_count": "num_layers",
            "attention.head_count": "num_heads",
            "attention.relative_buckets_count": "relative_attention_num_buckets",
            "attention.layer_norm_rms_epsilon": "layer_norm_epsilon",
        },
        more={
            "context_length": "n_positions",
            "decoder_block_count": "num_decoder_layers",
            "decoder_start_token_id": "decoder_start_token_id",
        },
        read=_t5,
        unused=("attention.layer_norm_epsilon", "attention.value_length"),
        names=_T5_NAMES,
    ),
}
