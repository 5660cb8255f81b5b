"""A model's weights, packed for the native engine when it is opened: nothing is kept on a disk."""

import ctypes
import os
from typing import Any

import torch
from torch import nn

from regard.checkpoints import Checkpoint, CheckpointLike, from_pretrained, open_checkpoint
from regard.configs.decoder import DecoderConfig
from regard.configs.encoder import EncoderConfig
from regard.configs.vision import VisionConfig
from regard.errors import UnsupportedError, check_choice
from regard.generation.filters import NO_TOKEN
from regard.layers import MultiHeadAttention, Stack
from regard.layers.low_rank import LowRankLinear
from regard.models import Decoder, Encoder, EncoderDecoder, Model, VisionTransformer
from regard.runtime.native import library, reads
from regard.runtime.native.decodes import NativeDecoder, NativeEncoderDecoder
from regard.runtime.native.reads import NativeReader, NativeVision

_BIAS = "relative_bias.table"  # of scores by distance
_SETTINGS = (
    *("score", "activation", "eps", "num_heads", "num_key_heads", "head_dim", "norm_first"),
    *("windows", "scale", "offset"),
)


def open_native(
    model: nn.Module | CheckpointLike,
    precision: str = "fp32",
    *,
    threads: int = 1,
    kernels: int = 0,
) -> NativeEncoderDecoder | NativeDecoder | NativeReader | NativeVision:
    """The model, ready to run in the native engine.

    Args:
        model: a model, or a name as `load` takes it.
        precision: of the weights: "fp32"; "bf16", rounded to bfloat16; or "int8", scaled by row as
            the activations are, with exact sums. What is not a product is in float32.
        threads: that share a batch's texts.
        kernels: a place in `library.kernels()`.

    Raises:
        BadArgumentError: an unknown precision, or less than one thread.
        UnsupportedError: a kind of model, a module or a setting that the engine lacks.
        UnavailableError: the engine has no library for this machine.
    """
    check_choice("precision", precision, library.PRECISIONS)
    loaded = library.library()
    if isinstance(model, str | os.PathLike | Checkpoint):
        model = from_pretrained(open_checkpoint(model), dtype=None)
    if not isinstance(model, EncoderDecoder | Decoder | Encoder | VisionTransformer):
        raise _cannot_run(f"a model of the class {type(model).__name__}")
    _check_modules(model)
    config, tensors = model.config, _tensors(model)
    entries = (library.Tensor * len(tensors))(
        *(
            library.Tensor(
                name.encode(),
                tensor.data_ptr(),
                *(tensor.shape if tensor.dim() == 2 else (1, len(tensor))),
                tensor.dtype == torch.bfloat16,
            )
            for name, tensor in tensors.items()
        )
    )
    settings = _config(config, tensors, library.PRECISIONS.index(precision), kernels)
    pointer = loaded.regard_open(ctypes.byref(settings), entries, len(entries))
    if not pointer:
        library.refuse(library.MISTAKE)
    if model.reads == "image":
        return NativeVision(config, pointer, threads)
    if not model.writes:
        return NativeReader(config, pointer, threads)
    kind = NativeDecoder if isinstance(model, Decoder) else NativeEncoderDecoder
    return kind(pointer, reads.limits_of(config), settings.target_vocab_size, threads)


def _config(config: Any, tensors: dict[str, torch.Tensor], precision: int, kernels: int) -> Any:
    names = {field[0] for field in library.Config._fields_}
    same = {name: value for name, value in vars(config).items() if name in names}
    bias = tensors.get(f"decoder.{_BIAS}")
    common = dict(
        activation=library.activation(config.activation),
        norm_first=config.norm_first,
        rms_norm=config.norm_kind == "rms",
        scaled_dot=config.score == "scaled_dot",
        relative_reach=-1 if bias is None else len(bias) // 2,
        precision=precision,
        kernels=kernels,
        **reads.head(config),
    )
    if isinstance(config, EncoderConfig | VisionConfig):
        return library.Config(**same | common | reads.settings(config))
    common["has_positions"] = config.positions in ("learned", "sinusoidal")
    if isinstance(config, DecoderConfig):
        alone = dict(
            kind=library.DECODER,
            target_vocab_size=config.vocab_size,
            encoder_heads=1,
            encoder_head_dim=1,
            decoder_layers=config.num_layers,
            decoder_heads=config.num_heads,
            decoder_head_dim=config.head_dim or config.d_model // config.num_heads,
            decoder_key_heads=config.num_key_heads or config.num_heads,
            rotary_factor=getattr(config.rotary_scaling, "attention_factor", 1),
            window=config.window or 0,
            pad_id=NO_TOKEN,
        )
        return library.Config(**same | common | alone)
    pair = dict(
        kind=library.ENCODER_DECODER,
        target_vocab_size=config.decoder_vocab_size,
        encoder_head_dim=config.head_dim or config.d_model // config.encoder_heads,
        decoder_head_dim=config.head_dim or config.d_model // config.decoder_heads,
        decoder_key_heads=config.decoder_heads,
        rotary_factor=1,
    )
    return library.Config(**same | common | pair)


@torch.no_grad()
def _tensors(model: Model) -> dict[str, torch.Tensor]:
    """Weights by name, (rows, columns) or (columns,), in float32 or bfloat16."""
    tensors = dict(model.state_dict())
    if model.reads == "image":
        tensors["embed.patches.weight"] = tensors["embed.patches.weight"].flatten(1)
        positions = tensors["embed.positions"][0].float()
        first = tensors.pop("embed.class_token")[0]
        tensors["embed.positions"] = torch.cat([positions[:1] + first, positions[1:]])
    for name, module in model.named_modules():
        if isinstance(module, LowRankLinear):
            tensors[f"{name}.weight"] = module.merged().weight
        if isinstance(module, Stack) and module.relative_bias is not None:
            tensors[f"{name}.{_BIAS}"] = module.relative_bias.by_distance()
        if isinstance(module, MultiHeadAttention) and module.rotary is not None:
            tensors[f"{name.split('.')[0]}.rotary.frequencies"] = module.rotary.frequencies
    return {
        name: (tensor if tensor.dtype == torch.bfloat16 else tensor.float()).cpu().contiguous()
        for name, tensor in tensors.items()
    }


def _check_modules(model: Any) -> None:
    """Refuse a model whose modules are not those that its config describes."""
    with torch.device("meta"):
        described = dict(type(model)(model.config).named_modules())
    for name, module in model.named_modules():
        if isinstance(module, LowRankLinear | nn.Dropout) or name not in described:
            continue
        other = described[name]
        if type(module) is not type(other):
            raise _cannot_run(f"{name}, a {type(module).__name__},")
        for setting in _SETTINGS:
            if getattr(module, setting, None) != getattr(other, setting, None):
                raise _cannot_run(f"{name} with another {setting} than its config's")


def _cannot_run(what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} cannot run in the native engine; use the engine torch.")
