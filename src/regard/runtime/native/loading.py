"""A model's weights, packed for the native engine when it is opened: nothing is kept on a disk."""

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.fit import read_state
from regard.configs.decoder import DecoderConfig
from regard.configs.encoder_decoder import EncoderDecoderConfig
from regard.configs.tables import relative_buckets
from regard.errors import UnsupportedError, check_choice
from regard.generation.filters import NO_TOKEN
from regard.runtime.native import library
from regard.runtime.native.decodes import NativeDecoder, NativeEncoderDecoder
from regard.runtime.packed import Limits

if TYPE_CHECKING:
    from torch import nn

Arrays = dict[str, NDArray[Any]]

# The names of activations in the library, by those in configs.
_ACTIVATIONS = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "swish": "silu"}
BIAS = "relative_bias.table"  # of scores by distance
FREQUENCIES = "decoder.rotary.frequencies"


def open_native(
    model: "nn.Module | CheckpointLike",
    precision: str = "fp32",
    *,
    threads: int = 1,
    kernels: int = 0,
) -> NativeEncoderDecoder | NativeDecoder:
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
        state = _computed(config, read_state(checkpoint, config.shapes(), np))
    else:
        from regard.runtime.native.modules import state_of

        config = getattr(model, "config", None)
        _check_kind(getattr(model, "architecture", type(model).__name__), config)
        state = state_of(model)
    arrays = {
        name: np.ascontiguousarray(array, np.uint16 if array.dtype == np.uint16 else np.float32)
        for name, array in state.items()
    }
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
    settings = _config(config, arrays, library.PRECISIONS.index(precision), kernels)
    pointer = loaded.regard_open(ctypes.byref(settings), entries, len(entries))
    if not pointer:
        library.refuse(library.MISTAKE)
    most = config.max_positions if settings.has_positions else None
    limits = Limits(config.vocab_size, most, config.pad_id)
    kind = NativeDecoder if isinstance(config, DecoderConfig) else NativeEncoderDecoder
    return kind(pointer, limits, settings.target_vocab_size, threads)


def _check_kind(architecture: str, config: Any) -> None:
    """Refuse a kind of model that the engine lacks, by the name of its class in `models`."""
    if architecture not in ("EncoderDecoder", "Decoder"):
        raise cannot_run(f"a model of the class {architecture}")
    if config.head != "language_model":
        raise cannot_run(f"a model with the head {config.head!r}")


def _config(
    config: EncoderDecoderConfig | DecoderConfig, arrays: Arrays, precision: int, kernels: int
) -> Any:
    names = {field[0] for field in library.Config._fields_}
    same = {name: value for name, value in vars(config).items() if name in names}
    activation = _ACTIVATIONS.get(config.activation, config.activation)
    bias = arrays.get(f"decoder.{BIAS}")
    common = dict(
        activation=library.ACTIVATIONS.index(activation),
        norm_first=config.norm_first,
        rms_norm=config.norm_kind == "rms",
        scaled_dot=config.score == "scaled_dot",
        has_positions=config.positions in ("learned", "sinusoidal"),
        relative_reach=-1 if bias is None else len(bias) // 2,
        precision=precision,
        kernels=kernels,
    )
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


def _computed(config: Any, state: Arrays) -> Arrays:
    """The weights of a checkpoint, and the tables of positions that follow from its config."""
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
            state[f"{side}.{BIAS}"] = state[f"{side}.{BIAS}.weight"][buckets]
    if config.positions == "rotary":  # whose powers torch rounds in its own way
        from regard.positions import rotary_frequencies

        width = config.head_dim or config.d_model // config.num_heads
        scaling, theta = config.rotary_scaling, config.rotary_theta
        state[FREQUENCIES] = rotary_frequencies(width, theta=theta, scaling=scaling).numpy()
    return state


def cannot_run(what: str) -> UnsupportedError:
    """The error for what only torch can compute."""
    return UnsupportedError(f"{what} cannot run in the native engine; use the engine torch.")
