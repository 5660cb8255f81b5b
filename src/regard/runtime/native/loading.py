"""A model's weights, packed for the native engine when it is opened: nothing is kept on a disk."""

import ctypes
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.fit import read_state
from regard.configs.encoder_decoder import EncoderDecoderConfig
from regard.configs.tables import relative_buckets
from regard.errors import UnsupportedError, check_choice
from regard.runtime.native import library
from regard.runtime.native.decodes import NativeEncoderDecoder
from regard.runtime.packed import Limits

if TYPE_CHECKING:
    from torch import nn

Arrays = dict[str, NDArray[Any]]

# The names of activations in the library, by those in configs.
_ACTIVATIONS = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "swish": "silu"}


def open_native(
    model: "nn.Module | CheckpointLike",
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
        checkpoint = open_checkpoint(model)
        _check_kind(checkpoint.architecture, config := checkpoint.config)
        state = read_state(checkpoint, config.shapes(), np)
    else:
        from regard.runtime.native.modules import state_of

        config = getattr(model, "config", None)
        _check_kind(getattr(model, "architecture", type(model).__name__), config)
        state = state_of(model)
    arrays = _arrays(config, state)
    entries = (library.Tensor * len(arrays))(
        *(
            library.Tensor(
                name.encode(),
                array.ctypes.data,
                *(array.shape if array.ndim == 2 else (1, len(array))),
                array.dtype == np.uint16,
            )
            for name, array in arrays.items()
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


def _check_kind(architecture: str, config: Any) -> None:
    """Refuse a kind of model that the engine lacks, by the name of its class in `models`."""
    if architecture != "EncoderDecoder":
        raise cannot_run(f"a model of the class {architecture}")
    if config.head != "language_model":
        raise cannot_run(f"an encoder–decoder with the head {config.head!r}")


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


def _arrays(config: EncoderDecoderConfig, state: Mapping[str, NDArray[Any]]) -> Arrays:
    """Weights by name, (rows, columns) or (columns,), in float32, or bits of bfloat16 in uint16."""
    arrays = dict(state)
    if config.positions == "relative":
        reach = config.relative_distance
        for side in ("encoder", "decoder"):
            buckets = relative_buckets(
                np,
                np.arange(-reach, reach + 1),
                num_buckets=config.relative_buckets,
                max_distance=reach,
                bidirectional=side == "encoder",
            )
            table = arrays.pop(f"{side}.relative_bias.table.weight")
            arrays[f"{side}.relative_bias.table"] = table[buckets]
    return {
        name: np.ascontiguousarray(array, np.uint16 if array.dtype == np.uint16 else np.float32)
        for name, array in arrays.items()
    }


def cannot_run(what: str) -> UnsupportedError:
    """The error for what only torch can compute."""
    return UnsupportedError(f"{what} cannot run in the native engine; use the engine torch.")
