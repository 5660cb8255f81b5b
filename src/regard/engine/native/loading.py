"""A model's weights, packed for the native engine when it is opened: nothing is kept on a disk."""

import ctypes
import os
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import NUMPY
from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.fit import read_state
from regard.checkpoints.weights import Scaled, Stored, check_finite
from regard.engine.native import interface, library, reads
from regard.engine.native.decodes import NativeDecoder, NativeEncoderDecoder, NativeSpeech
from regard.engine.native.reads import MOST_POSITIONS, NativeDual, NativeReader, NativeVision
from regard.errors import UnsupportedError, check_choice
from regard.generation.filters import NO_TOKEN
from regard.models.configs.decoder import DecoderConfig
from regard.models.configs.dual_encoder import DualEncoderConfig
from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.configs.speech import SpeechConfig
from regard.models.configs.tables import every_distance_row, relative_buckets
from regard.models.configs.vision import VisionConfig
from regard.progress import at_exit

if TYPE_CHECKING:
    from regard.models import Model
    from regard.models.configs.config import ModelConfig
    from regard.models.configs.scaling import Scaling

Arrays = dict[str, Any]  # arrays, or matrices that are `Stored` or `Scaled`

ARCHITECTURES = (
    *("EncoderDecoder", "SpeechEncoderDecoder", "Decoder", "Encoder"),
    *("VisionTransformer", "DualEncoder"),
)
BIAS = "relative_bias.table"  # of scores by distance


def open_native(
    model: "Model | CheckpointLike",
    precision: str = "fp32",
    *,
    threads: int = 1,
    shared: bool = False,
    kernels: int = 0,
) -> NativeEncoderDecoder | NativeSpeech | NativeDecoder | NativeReader | NativeVision | NativeDual:
    """Return the model, ready to run in the native engine.

    Args:
        model: a model, or a name as `load` takes it.
        precision: of the weights: "fp32"; "bf16", rounded to bfloat16; "int8", scaled by row as
            the activations are, with exact sums; or "int4", scaled by 32 inputs of a row, whose
            sums are exact. What is not a product is in float32.
        threads: of each call, that share a batch's texts, or one text.
        shared: whether calls at the same time share the threads.
        kernels: a place in `library.kernels()`.

    Raises:
        BadArgumentError: an unknown precision, or less than one thread.
        DamagedFileError: a weight with NaN or infinity.
        UnsupportedError: a kind of model, a module or a setting that the engine lacks.
        UnavailableError: the engine has no library for this machine.
    """
    check_choice("precision", precision, library.PRECISIONS)
    of_calls = library.Threads(threads, shared=shared)
    if isinstance(model, str | os.PathLike):
        model = open_checkpoint(model)
    config, arrays = weights_of(model)
    packed: Any
    if isinstance(config, DualEncoderConfig):
        text, image = (
            _opened(getattr(config, side), part_of(arrays, side), precision, kernels, of_calls)
            for side in ("text", "image")
        )
        scale, bias = (float(arrays.get(f"logit_{name}", [0])[0]) for name in ("scale", "bias"))
        packed = NativeDual(text, image, scale, bias)
    else:
        packed = _opened(config, arrays, precision, kernels, of_calls)
    if isinstance(model, Checkpoint):
        model.weights.check_unchanged()  # while they were packed
    return packed


def _opened(
    config: "ModelConfig", arrays: Arrays, precision: str, kernels: int, of_calls: library.Threads
) -> Any:
    """Return the model of these weights, as `open_native` gives it."""
    scaled = {name: array for name, array in arrays.items() if isinstance(array, Scaled)}
    arrays = arrays | {name: np.ascontiguousarray(x.integers) for name, x in scaled.items()}
    arrays |= {f"{name}.scales": np.ascontiguousarray(x.scales) for name, x in scaled.items()}
    entries = (interface.Tensor * len(arrays))(*(_entry(name, arrays[name]) for name in arrays))
    settings = settings_of(config, arrays, library.PRECISIONS.index(precision), kernels)
    used: dict[int, NDArray[Any]] = {}  # by address, what the library reads of `Stored` matrices
    failed: list[BaseException] = []

    def read(index: int, done: int | None) -> int | None:
        if done is not None:
            del used[done]
            return None
        try:
            at_exit.check()
            name, matrix = list(arrays.items())[index]
            array = matrix.grouped() if matrix.group else _flat(matrix.numbers())
            integers = prod(matrix.shape) if matrix.group else 0  # ahead of scales and offsets
            check_finite(name, array[integers:].view(np.float32) if integers else array)
        except BaseException as error:  # raised again below
            failed.append(error)
            return None
        used[array.ctypes.data] = array
        return int(array.ctypes.data)

    with at_exit.calling_back():
        pointer = library.library().regard_open(
            ctypes.byref(settings), entries, len(entries), interface.Read(read)
        )
    if failed:
        raise failed[0]
    if not pointer:
        library.refuse(interface.MISTAKE)
    if isinstance(config, VisionConfig):
        return NativeVision(config, pointer, of_calls)
    if config.head != "language_model":
        return NativeReader(config, pointer, of_calls)
    limits, sizes = reads.limits_of(config), (settings.target_vocab_size, config.d_model)
    if isinstance(config, SpeechConfig):
        return NativeSpeech((config.mel_bins, config.frames), pointer, limits, *sizes, of_calls)
    kind = NativeDecoder if isinstance(config, DecoderConfig) else NativeEncoderDecoder
    return kind(pointer, limits, *sizes, of_calls)


def _entry(name: str, array: Any) -> interface.Tensor:
    """Return an array as the library's struct."""
    stored = isinstance(array, Stored)
    return interface.Tensor(
        name.encode(),
        None if stored else array.ctypes.data,
        *(array.shape if array.ndim == 2 else (1, len(array))),
        (2 if array.group else 0) if stored else library.DTYPES.index(array.dtype),
        array.group if stored else 0,
    )


def weights_of(model: "Model | CheckpointLike") -> tuple["ModelConfig", Arrays]:
    """Return a model's config, and its weights as the library takes them."""
    if isinstance(model, str | os.PathLike | Checkpoint):
        checkpoint = open_checkpoint(model)
        _check_kind(checkpoint.architecture)
        config = checkpoint.config
        state = _computed(config, read_state(checkpoint, config.shapes(), np, stored=True))
    else:
        from regard.engine.native.modules import state_of

        _check_kind(getattr(model, "architecture", type(model).__name__))
        config, state = model.config, state_of(model)
        for name, array in state.items():
            check_finite(name, array)
    if isinstance(config, EncoderConfig) and config.positions == "distances":
        state |= _of_distances(config, state)
    if isinstance(config, DualEncoderConfig):
        for side in ("text", "image"):
            more = _of_layers(getattr(config, side))
            state |= {f"{side}.{name}": array for name, array in more.items()}
    elif isinstance(config, DecoderConfig | EncoderConfig):
        state |= _of_layers(config)
    if config.norm_kind == "rms_plus_one":
        state |= {
            name: _widened(array) + 1
            for name, array in state.items()
            if name.endswith("norm.weight")
        }
    return config, {
        name: array if isinstance(array, Stored | Scaled) else _flat(array)
        for name, array in state.items()
    }


def part_of(arrays: Arrays, side: str) -> Arrays:
    """Weights of one of two encoders, by its own names; of a model that is one, all of them."""
    dot = f"{side}." if side else ""
    return {name.removeprefix(dot): x for name, x in arrays.items() if name.startswith(dot)}


def _check_kind(architecture: str) -> None:
    """Refuse a kind of model that the engine lacks, by the name of its class in `models`."""
    if architecture not in ARCHITECTURES:
        raise cannot_run(f"a model of the class {architecture}")


def settings_of(
    config: "ModelConfig", arrays: Arrays, precision: int, kernels: int
) -> interface.Config:
    """Return a config as the library's struct."""
    names = {field[0] for field in interface.Config._fields_}
    same = {name: value for name, value in vars(config).items() if name in names}
    bias = arrays.get(f"decoder.{BIAS}")
    width = config.score_width
    scale = 1 if config.score == "dot" else 0 if width is None else width**-0.5
    common = dict(
        activation=library.activation(config.activation),
        norm_first=config.norm_first,
        rms_norm="rms" in config.norm_kind,
        score_scale=scale,
        score_cap=config.score_cap or 0,
        gate_limit=config.gate_limit or 0,
        relative_reach=-1 if bias is None else len(bias) // 2,
        expert_d_ff=config.expert_d_ff or config.d_ff if config.experts else 0,
        precision=precision,
        kernels=kernels,
        **reads.head(config),
    )
    if isinstance(config, EncoderConfig | VisionConfig):
        return interface.Config(**same | common | reads.settings(config))
    common["has_positions"] = config.positions in ("learned", "sinusoidal", "spread")
    common["max_positions"] = reads.limits_of(config).max_positions or MOST_POSITIONS
    if isinstance(config, DecoderConfig):
        alone = dict(
            kind=interface.DECODER,
            target_vocab_size=config.vocab_size,
            encoder_heads=1,
            encoder_head_dim=1,
            decoder_layers=config.num_layers,
            decoder_heads=config.num_heads,
            decoder_head_dim=config.head_dim or config.d_model // config.num_heads,
            decoder_key_heads=config.num_key_heads or config.num_heads,
            rotary_factor=getattr(config.rotary_scaling, "attention_factor", 1),
            output_cap=config.output_cap or 0,
            pad_id=NO_TOKEN,
        )
        return interface.Config(**same | common | alone)
    assert isinstance(config, EncoderDecoderConfig), "other kinds were refused"
    pair = dict(
        kind=interface.ENCODER_DECODER,
        target_vocab_size=config.decoder_vocab_size,
        encoder_head_dim=config.head_dim or config.d_model // config.encoder_heads,
        decoder_head_dim=config.head_dim or config.d_model // config.decoder_heads,
        decoder_key_heads=config.decoder_heads,
        rotary_factor=1,
        sound_length=getattr(config, "source_positions", 0),
    )
    return interface.Config(**same | common | pair)


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    """Numbers of float32, or of bfloat16's bits, in float32."""
    if array.dtype != np.uint16:
        return array.astype(np.float32)
    return (array.astype(np.uint32) << 16).view(np.float32)


def _flat(array: NDArray[Any]) -> NDArray[Any]:
    """Return a matrix or a vector of `library.DTYPES`. A convolution is a product with each patch,
    (d_model, pixels), or with neighboring frames, (d_model, 3 · width), and the places of an image,
    (1, length, d_model), are rows."""
    if array.ndim == 3 and len(array) > 1:
        array = array.transpose(0, 2, 1)
    matrix = array.reshape(len(array), -1) if array.ndim > 2 and len(array) > 1 else array
    matrix = matrix[0] if matrix.ndim == 3 else matrix
    return np.ascontiguousarray(
        matrix, array.dtype if array.dtype in library.DTYPES else np.float32
    )


def _computed(config: "ModelConfig", state: Arrays) -> Arrays:
    """Return the weights of a checkpoint, and the tables of positions that follow from its
    config."""
    if isinstance(config, EncoderDecoderConfig) and config.positions == "relative":
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
    return state


def _of_distances(config: EncoderConfig, state: Arrays) -> Arrays:
    """Return the states of distances as queries and keys of each layer, and which is of each
    distance."""
    rows = every_distance_row(np, buckets=config.distance_buckets, longest=config.longest_distance)
    arrays: Arrays = {"encoder.distances.rows": rows - rows[0]}
    table, weight, bias = (
        _widened(state[f"encoder.distances.{name}"])
        for name in ("table.weight", "norm.weight", "norm.bias")
    )
    centered = table - table.mean(-1, keepdims=True)
    deviation = np.sqrt((centered**2).mean(-1, keepdims=True) + np.float32(config.norm_eps))
    states = (centered / deviation * weight + bias)[rows[0] : rows[-1] + 1]
    for layer in range(config.num_layers):
        path = f"encoder.layers.{layer}.self_attention"
        for name in ("query", "key"):
            projected = states @ _widened(state[f"{path}.{name}.weight"]).T
            projected += _widened(state[f"{path}.{name}.bias"])
            arrays[f"{path}.distances.{name}"] = projected
    return arrays


def _of_layers(config: DecoderConfig | EncoderConfig) -> Arrays:
    """Numbers of each layer: its kind of positions, and its window, where they have any."""
    stack = "decoder" if isinstance(config, DecoderConfig) else "encoder"
    arrays: Arrays = {}
    if config.rotaries:
        arrays[f"{stack}.rotary.layers"] = np.array(config.rotated)
        arrays[f"{stack}.rotary.frequencies"] = np.stack(
            [
                _frequencies(config.rotary_dim, theta, scaling)
                for theta, scaling in config.rotaries[: max((1, *config.rotated))]
            ]
        )
    if any(config.windows):
        windows = [min(window or 0, MOST_POSITIONS) for window in config.windows]
        arrays[f"{stack}.windows"] = np.array(windows)
    if vars(config).get("causal"):
        arrays[f"{stack}.causal"] = np.ones(1)
    return arrays


def _frequencies(dim: int, theta: float, scaling: "Scaling | None") -> NDArray[np.float32]:
    """`positions.rotary_frequencies`; torch rounds one of a hundred powers the other way."""
    exponents = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    powers = np.power(np.float64(theta), exponents.astype(np.float64)).astype(np.float32)
    frequencies = np.float32(1) / powers
    return frequencies if scaling is None else NUMPY.floats(scaling(frequencies))


def cannot_run(what: str) -> UnsupportedError:
    """Return the error for what only torch can compute."""
    return UnsupportedError(f"{what} cannot run in the native engine; use the engine torch.")
