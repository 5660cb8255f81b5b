"""A model's weights, packed for the native engine when it is opened: nothing is kept on a disk."""

import ctypes
import os
from typing import Any

import torch
from torch import nn

from regard.checkpoints import Checkpoint, CheckpointLike, from_pretrained, open_checkpoint
from regard.errors import UnsupportedError, check_choice
from regard.layers import RelativeBias, Stack
from regard.layers.low_rank import LowRankLinear
from regard.models import Encoder, EncoderDecoder, Model, VisionTransformer
from regard.models.heads import HEADS
from regard.runtime.native import library
from regard.runtime.native.decodes import NativeEncoderDecoder
from regard.runtime.native.reads import NativeReader, NativeVision
from regard.runtime.packed import Limits

# The names of activations in the library, by those in configs.
_ACTIVATIONS = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "swish": "silu"}
_SETTINGS = ("score", "activation", "eps", "num_heads", "head_dim", "norm_first", "scale", "offset")


def open_native(
    model: nn.Module | CheckpointLike,
    precision: str = "fp32",
    *,
    threads: int = 1,
    kernels: int = 0,
) -> NativeEncoderDecoder | NativeReader | NativeVision:
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
    if not isinstance(model, EncoderDecoder | Encoder | VisionTransformer):
        raise _cannot_run(f"a model of the class {type(model).__name__}")
    if isinstance(model, EncoderDecoder) and not model.writes:
        raise _cannot_run(f"an encoder–decoder with the head {model.head_name!r}")
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
    settings = _config(model, precision=library.PRECISIONS.index(precision), kernels=kernels)
    opened = loaded.regard_open if model.writes else loaded.regard_open_reader
    pointer = opened(ctypes.byref(settings), entries, len(entries))
    if not pointer:
        library.refuse(library.MISTAKE)
    if isinstance(model, EncoderDecoder):
        return NativeEncoderDecoder(pointer, _limits(config), config.decoder_vocab_size, threads)
    outputs = 0 if model.head_name == "none" else settings.head_outputs or config.d_model
    of_tokens = model.head_name not in ("pooler", "classification")
    arguments = (pointer, config.d_model, outputs, of_tokens, threads)
    if isinstance(model, VisionTransformer):
        image = (config.channels, *config.image_size)
        return NativeVision(*arguments, image=image, patch=config.patch_size)
    return NativeReader(
        *arguments,
        limits=_limits(config),
        token_types=config.token_types,
        counts_padding=config.count_padding,
    )


def _limits(config: Any) -> Limits:
    endless = getattr(config, "positions", None) == "relative"
    return Limits(config.vocab_size, None if endless else config.max_positions, config.pad_id)


def _config(model: Model, **others: int) -> Any:
    """The library's config; what a model has no use for is 0 there."""
    config: Any = model.config
    values = {field[0]: getattr(config, field[0], None) or 0 for field in library.Config._fields_}
    relative = getattr(config, "positions", None) == "relative"
    values |= dict(
        activation=_activation(config.activation),
        norm_first=config.norm_first,
        rms_norm=config.norm_kind == "rms",
        scaled_dot=config.score == "scaled_dot",
        has_positions=not relative and model.reads == "text",
        relative_reach=config.relative_distance if relative else -1,
        pad_id=-1 if getattr(config, "pad_id", None) is None else config.pad_id,
    )
    if isinstance(model, EncoderDecoder):
        values |= dict(
            target_vocab_size=config.decoder_vocab_size,
            encoder_head_dim=config.head_dim or config.d_model // config.encoder_heads,
            decoder_head_dim=config.head_dim or config.d_model // config.decoder_heads,
        )
    else:
        entries = HEADS[model.head_name].entries
        sizes = {"token": values["vocab_size"], "label": len(config.labels), "position": 2}
        pooler = getattr(config, "pooler_activation", "tanh")
        values |= dict(
            encoder_layers=config.num_layers,
            encoder_heads=config.num_heads,
            encoder_head_dim=config.d_model // config.num_heads,
            embedding_norm=model.reads == "text",
            head_outputs=sizes.get(entries, 0),
            head_activation=_activation(config.activation if entries == "token" else pooler),
        )
    if isinstance(model, VisionTransformer):
        values |= dict(
            image_length=1 + model.grid[0] * model.grid[1],
            patch_width=model.embed.patches.weight[0].numel(),
        )
    return library.Config(**values | others)


def _activation(name: str) -> int:
    return library.ACTIVATIONS.index(_ACTIVATIONS.get(name, name))


@torch.no_grad()
def _tensors(model: Model) -> dict[str, torch.Tensor]:
    """Weights by name, (rows, columns) or (columns,), in float32 or bfloat16."""
    tensors = dict(model.state_dict())
    if isinstance(model, VisionTransformer):
        tensors["embed.patches.weight"] = tensors["embed.patches.weight"].flatten(1)
        positions = tensors["embed.positions"][0].clone()
        positions[0] += tensors.pop("embed.class_token")[0, 0]
        tensors["embed.positions"] = positions
    for name, module in model.named_modules():
        if isinstance(module, LowRankLinear):
            tensors[f"{name}.weight"] = module.merged().weight
        if isinstance(module, Stack) and isinstance(module.relative_bias, RelativeBias):
            tensors[f"{name}.relative_bias.table"] = module.relative_bias.by_distance()
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
