"""A GGUF file, llama.cpp's format, as a checkpoint of the Llama family; the package gguf reads it.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property, partial
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import gguf_groups as groups
from regard.checkpoints.checkpoint import Checkpoint
from regard.checkpoints.weights import Scaled, Stored, Weights
from regard.errors import DamagedFileError, UnsupportedError, refusing
from regard.files import check_content, sha256
from regard.json_files import JsonFiles, JsonObject
from regard.models.configs.scaling import Llama3Scaling
from regard.packages import optional_package
from regard.text import TokenizerPair
from regard.text.gguf import tokenizer_of

ARCHITECTURES = ("llama", "qwen2", "qwen3")  # Mistral's files say llama
# Of metadata, behind the name of the architecture → the key of config.json.
_KEYS = {
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "block_count": "num_hidden_layers",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
}
_MORE = {"attention.head_count_kv": "num_key_value_heads", "attention.key_length": "head_dim"}
_MORE |= {"rope.freq_base": "rope_theta"}
_SCALING = ("type", "factor", "original_context_length", "finetuned")
_READ = {*_KEYS, *_MORE, "vocab_size", "rope.dimension_count", "attention.value_length"}
_READ |= {f"rope.scaling.{name}" for name in _SCALING}
# Their names of tensors → ours; those of a layer stand behind "blk.N.".
_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_FACTORS = "rope_freqs.weight"  # what Llama 3.1 divides its frequencies by, (head_dim / 2,)
_STORED = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}  # the others are dequantized


class GGUFCheckpoint(Checkpoint):
    """A GGUF file in the place of a model folder; only its metadata are read at once.

    Args:
        file: of a Llama-like model.
        name: what to call the model in messages; the file's name by default.

    Raises:
        UnavailableError: the package gguf is not installed.
        DamagedFileError: another or a damaged file.
        UnsupportedError: an architecture, a setting or a kind of number that regard lacks.
    """

    def __init__(self, file: str | os.PathLike[str], *, name: str | None = None):
        super().__init__(file, name=name)
        check_content(self.folder)
        with refusing(f"{self.folder} is not a whole GGUF file"):
            if not self.folder.stat().st_size:
                raise ValueError("it is empty")
            reader = _open(self.folder)
            self._facts = {name: field.contents() for name, field in reader.fields.items()}
            tensors = {tensor.name: tensor for tensor in reader.tensors}
            content = {"config.json": _settings(self._facts, tensors)}
            heads = _interleaved(content["config.json"])
        ends = [self._facts.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot")]
        content["generation_config.json"] = {
            "eos_token_id": sorted({end for end in ends if end is not None}) or None
        }
        self.files = JsonFiles(
            self.folder,
            {name: JsonObject(self.folder, settings) for name, settings in content.items()},
        )
        self._weights = _Weights(self.folder, tensors, heads)

    @property
    def weights(self) -> Weights:
        """The weights by their names in Hugging Face's layout, dequantized when they are read."""
        return self._weights

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the file."""
        return sha256(self.folder)

    @cached_property
    def tokenizers(self) -> TokenizerPair:
        """The file's tokenizer, on both sides."""
        with refusing(f"the tokenizer in {self.folder} is malformed"):
            tokenizer = tokenizer_of(self._facts)
        return TokenizerPair(tokenizer, tokenizer)


class _Weights(Weights):
    """Tensors of a GGUF file by their names in Hugging Face's layout."""

    def __init__(self, file: Path, tensors: Mapping[str, Any], heads: Mapping[str, int]):
        super().__init__([])
        self.files, self._opened = [file], {file: file.stat()}
        self._stored: dict[str, Stored] = {}
        for name, tensor in tensors.items():
            if name == _FACTORS:
                continue
            kind, theirs = tensor.tensor_type, _in_layout(name)
            _check_kind(name, kind)
            shape = tuple(tensor.shape.tolist()[::-1])
            interleaved = heads.get(theirs.split(".")[-2], 0) if "." in theirs else 0
            dtype = _STORED.get(kind.name, kind.name.lower())
            read = partial(_read, file, tensor, shape, interleaved)
            self._add(theirs, file, shape, dtype, read)
            if len(shape) == 2 and kind.name not in ("F32", "BF16"):
                group = groups.GROUPS.get(kind.name, 0)
                grouped = partial(_grouped, file, tensor, shape, interleaved)
                self._stored[theirs] = Stored(shape, partial(read, np), grouped, group)

    def stored(self, name: str) -> NDArray[Any] | Stored | Scaled:
        if name not in self._stored:
            return super().stored(name)
        self.check_unchanged()
        return self._stored[name]

    @property
    def packed_bytes(self) -> int:
        """Memory of all of them in the native engine, in fp32."""
        total, table = 0.0, "model.embed_tokens.weight"
        for name, shape in self.shapes.items():
            kind, size = self.dtypes[name].upper(), prod(shape)
            total += size * groups.packed_bytes(kind, table=name == table)
            if name == table and "lm_head.weight" not in self.shapes:
                total += size * groups.packed_bytes(kind)
        return round(total)


def _open(file: Path) -> Any:
    """Return the package's reader, which refuses what the file is too short for."""
    with optional_package("gguf", "GGUF files need"):
        from gguf import GGUFReader

    class Reader(GGUFReader):  # type: ignore[misc, unused-ignore]
        def _get(self, offset: Any, dtype: Any, count: Any = 1, override_order: Any = None) -> Any:
            count, start = int(count), int(offset)
            if self.byte_order != "I":
                raise ValueError("its numbers are in the other byte order")
            if start + np.dtype(dtype).itemsize * count > len(self.data):
                raise ValueError(f"it ends after {len(self.data):,} bytes, inside its content")
            return np.frombuffer(self.data, dtype, count, start)

    return Reader(file, "c")


def _settings(facts: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of the config.json that they stand for."""
    architecture = facts["general.architecture"]
    if architecture not in ARCHITECTURES:
        raise UnsupportedError(
            f"general.architecture must be {', '.join(ARCHITECTURES[:-1])} or {ARCHITECTURES[-1]}"
            f" in a GGUF file here; it is {architecture!r}. Open the model's own folder."
        )
    prefix = f"{architecture}."
    own = {
        name.removeprefix(prefix): fact for name, fact in facts.items() if name.startswith(prefix)
    }
    if unknown := sorted(set(own) - _READ):
        raise UnsupportedError(
            f"the setting {prefix}{unknown[0]} of the GGUF file is not implemented. Open the"
            " model's own folder."
        )
    rows = int(tensors["token_embd.weight"].shape[-1])
    if own.get("vocab_size", rows) != rows:
        raise DamagedFileError(
            f"{prefix}vocab_size of the GGUF file is {own['vocab_size']}, but its embeddings have"
            f" {rows} rows. Copy the file again from where it came from."
        )
    settings = {theirs: own[name] for name, theirs in _KEYS.items()}
    settings |= {theirs: own[name] for name, theirs in _MORE.items() if name in own}
    settings.setdefault("num_key_value_heads", settings["num_attention_heads"])
    settings.setdefault("head_dim", settings["hidden_size"] // settings["num_attention_heads"])
    for name in ("rope.dimension_count", "attention.value_length"):
        if own.get(name, settings["head_dim"]) != settings["head_dim"]:
            raise UnsupportedError(
                f"{prefix}{name} must be a head's {settings['head_dim']} numbers; the GGUF file"
                f" says {own[name]}. Open the model's own folder."
            )
    special = ("bos", "eos")
    return settings | {
        "model_type": architecture,
        "architectures": [f"{architecture.capitalize()}ForCausalLM"],
        "vocab_size": rows,
        "tie_word_embeddings": "output.weight" not in tensors,
        "attention_bias": "blk.0.attn_q.bias" in tensors,
        "mlp_bias": "blk.0.ffn_gate.bias" in tensors,
        "use_sliding_window": False,
        "rope_parameters": _rope(settings, own, tensors),
        **{f"{name}_token_id": facts.get(f"tokenizer.ggml.{name}_token_id") for name in special},
    }


def _rope(
    settings: Mapping[str, Any], own: Mapping[str, Any], tensors: Mapping[str, Any]
) -> dict[str, Any]:
    theta = settings.get("rope_theta", 10000.0)
    kind = own.get("rope.scaling.type", "none")
    parameters = {"rope_theta": theta, "rope_type": "default" if kind == "none" else kind}
    if kind != "none":
        first = own.get("rope.scaling.original_context_length", own["context_length"])
        parameters["factor"] = own.get("rope.scaling.factor", 1.0)
        return parameters | {"original_max_position_embeddings": first}
    if _FACTORS in tensors:
        return parameters | _llama3(tensors[_FACTORS].data, settings["head_dim"], theta)
    return parameters


def _llama3(factors: NDArray[Any], head_dim: int, theta: float) -> dict[str, Any]:
    """Return the scaling of Llama 3.1 that gives these factors, which the file has in its place."""
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


def _interleaved(settings: Mapping[str, Any]) -> dict[str, int]:
    """Return the heads of the projections that llama.cpp stores in the order of its own
    rotation."""
    if settings["model_type"] != "llama":
        return {}
    return {
        "q_proj": int(settings["num_attention_heads"]),
        "k_proj": int(settings["num_key_value_heads"]),
    }


def _in_layout(name: str) -> str:
    """Return the name of a tensor in Hugging Face's layout; an unknown one stays."""
    stem, _, ending = name.rpartition(".")
    if stem in _OUTER:
        return f"{_OUTER[stem]}.{ending}"
    block, _, rest = stem.partition(".")
    number, _, part = rest.partition(".")
    is_of_layer = block == "blk" and part in _LAYER
    return f"model.layers.{number}.{_LAYER[part]}.{ending}" if is_of_layer else name


def _check_kind(name: str, kind: Any) -> None:
    from gguf import GGML_QUANT_SIZES, dequantize

    try:
        dequantize(np.zeros(GGML_QUANT_SIZES[kind][1], np.uint8), kind)
    except NotImplementedError as error:
        raise UnsupportedError(
            f"{name} of the GGUF file is {kind.name}, which the package gguf cannot dequantize."
            " Take the file in another kind, such as Q8_0."
        ) from error


@np.errstate(invalid="ignore")  # what comes of a damaged scale is refused
def _read(file: Path, tensor: Any, shape: tuple[int, ...], heads: int, xp: ModuleType) -> Any:
    """See `Weights.read`.

    Args:
        heads: whose two halves take turns in the file, as llama.cpp rotates them; 0: none.
    """
    from gguf import dequantize

    kind = tensor.tensor_type
    numbers = tensor.data if kind.name in _STORED else dequantize(_bytes(file, tensor), kind)
    if kind.name == "BF16":
        numbers = numbers.view(np.uint16)
    numbers = np.require(
        _in_halves(tensor.name, numbers, shape[0], heads).reshape(shape),
        requirements=["C", "A", "W"],
    )
    if xp is np:
        return numbers
    read = xp.from_numpy(numbers)
    return read.view(xp.bfloat16) if kind.name == "BF16" else read


@np.errstate(invalid="ignore")  # what comes of a damaged scale is refused
def _grouped(file: Path, tensor: Any, shape: tuple[int, ...], heads: int) -> NDArray[np.uint8]:
    """See `Stored.grouped`."""
    rows = _in_halves(tensor.name, _bytes(file, tensor), shape[0], heads)
    return groups.unpacked(tensor.tensor_type.name, rows.reshape(shape[0], -1), shape[1])


def _bytes(file: Path, tensor: Any) -> NDArray[np.uint8]:
    """Return the bytes of a quantized tensor, (…, bytes of a row), read from the file: mapped, all
    that were ever read would stay in memory."""
    count, start = tensor.data.nbytes, tensor.data_offset
    content = np.fromfile(file, np.uint8, count, offset=start)
    if len(content) < count:
        raise DamagedFileError(f"{file} has become shorter while it was read. Copy it again.")
    return content.reshape(tensor.data.shape)


def _in_halves(name: str, numbers: NDArray[Any], rows: int, heads: int) -> NDArray[Any]:
    """Rows whose heads have first one half and then the other; see `_read`."""
    if heads and rows % (2 * heads):
        raise DamagedFileError(
            f"{name} must have rows for {heads} heads; it has {rows}."
            " Copy the file again from where it came from."
        )
    return numbers.reshape(heads, rows // (2 * heads), 2, -1).swapaxes(1, 2) if heads else numbers
