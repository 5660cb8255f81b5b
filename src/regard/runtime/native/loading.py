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
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.runtime.native import library
from regard.runtime.native.decodes import NativeEncoderDecoder
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
) -> NativeEncoderDecoder:
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
    if not isinstance(model, EncoderDecoder):
        raise _cannot_run(f"a model of the class {type(model).__name__}")
    if not model.writes:
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
    settings = _config(config, library.PRECISIONS.index(precision), kernels)
    pointer = loaded.regard_open(ctypes.byref(settings), entries, len(entries))
    if not pointer:
        library.refuse(library.MISTAKE)
    limits = Limits(
        config.vocab_size,
        None if config.positions == "relative" else config.max_positions,
        config.pad_id,
    )
    return NativeEncoderDecoder(pointer, limits, config.decoder_vocab_size, threads)


def _config(config: EncoderDecoderConfig, precision: int, kernels: int) -> Any:
    names = {field[0] for field in library.Config._fields_}
    same = {name: value for name, value in vars(config).items() if name in names}
    relative = config.positions == "relative"
    activation = _ACTIVATIONS.get(config.activation, config.activation)
    return library.Config(
        **same
        | dict(
            kind=library.ENCODER_DECODER,
            target_vocab_size=config.decoder_vocab_size,
            encoder_head_dim=config.head_dim or config.d_model // config.encoder_heads,
            decoder_head_dim=config.head_dim or config.d_model // config.decoder_heads,
            decoder_key_heads=config.decoder_heads,
            activation=library.ACTIVATIONS.index(activation),
            norm_first=config.norm_first,
            rms_norm=config.norm_kind == "rms",
            scaled_dot=config.score == "scaled_dot",
            has_positions=not relative,
            relative_reach=config.relative_distance if relative else -1,
            rotary_factor=1,
            precision=precision,
            kernels=kernels,
        )
    )


@torch.no_grad()
def _tensors(model: EncoderDecoder) -> dict[str, torch.Tensor]:
    """Weights by name, (rows, columns) or (columns,), in float32 or bfloat16."""
    tensors = dict(model.state_dict())
    for name, module in model.named_modules():
        if isinstance(module, LowRankLinear):
            tensors[f"{name}.weight"] = module.merged().weight
        if isinstance(module, Stack) and isinstance(module.relative_bias, RelativeBias):
            tensors[f"{name}.relative_bias.table"] = module.relative_bias.by_distance()
    return {
        name: (tensor if tensor.dtype == torch.bfloat16 else tensor.float()).cpu().contiguous()
        for name, tensor in tensors.items()
    }


def _check_modules(model: EncoderDecoder) -> None:
    """Refuse a model whose modules are not those that its config describes."""
    with torch.device("meta"):
        described = dict(EncoderDecoder(model.config).named_modules())
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
