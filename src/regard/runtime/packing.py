"""Packing: a model's graphs and weights for ONNX Runtime, made once and kept."""

import hashlib
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import nn

from regard.checkpoints import CheckpointLike, from_pretrained
from regard.errors import DamagedFileError, NotFoundError, UnavailableError, check_choice
from regard.files import sha256, whole_folder, write_json
from regard.models import Decoder, Encoder, EncoderDecoder, VisionConfig, VisionTransformer
from regard.runtime.graph import Graph, as_array, cannot_pack
from regard.runtime.linear import PRECISIONS, probe
from regard.runtime.models import decoder, encoder, encoder_decoder, vision
from regard.runtime.onnx_file import write_graphs
from regard.runtime.packed import (
    MANIFEST,
    PROBE,
    Limits,
    Packed,
    PackedEncoderDecoder,
    open_packed,
)
from regard.version import __version__

FORMAT = 4  # of the graphs; counts up when the same model gets other graphs


def pack(model: nn.Module | CheckpointLike, precision: str = "fp32", *, threads: int = 1) -> Packed:
    """The model, ready to run in ONNX Runtime. It is packed on the first call, and found later.

    Packed models are in the folder that `cache_folder` returns, by the hash of the weights, the
    version of this package and the precision, so the graphs always belong to the weights.

    Args:
        model: a model, or a name as `load` takes it.
        precision: of the matrix products: "fp32", or "int8", a quarter of the size, in which
            weights are scaled by column and activations by row.
        threads: that compute one batch.

    Raises:
        BadArgumentError: an unknown precision.
        UnsupportedError: a kind of model, a module or a setting that cannot be packed.
        UnavailableError: a package is not installed, the folder cannot be written, or the processor
            lacks the precision.
    """
    check_choice("precision", precision, PRECISIONS)
    if not isinstance(model, nn.Module):
        model = from_pretrained(model)
    weights = weights_sha256(model)
    folder = cache_folder() / f"{weights[:32]}-{precision}-{__version__}-{FORMAT}"
    try:
        return open_packed(folder, threads=threads)
    except (NotFoundError, DamagedFileError):
        pass
    graphs = graphs_of(model, precision)
    try:
        with whole_folder(folder) as unfinished:
            write_packed(graphs, model, unfinished, precision=precision, weights=weights)
    except OSError as error:
        raise UnavailableError(
            f"the packed model could not be written to {folder} ({error.strerror})."
            " Make room, or set REGARD_CACHE to another folder."
        ) from error
    return open_packed(folder, threads=threads)


def pack_writer(
    model: nn.Module, precision: str = "fp32", *, threads: int = 1
) -> PackedEncoderDecoder:
    """`pack`, of an encoder–decoder that writes.

    Raises:
        UnsupportedError: it is not one, or it cannot be packed.
    """
    packed = pack(model, precision, threads=threads) if isinstance(model, EncoderDecoder) else None
    if not isinstance(packed, PackedEncoderDecoder):
        raise cannot_pack(f"a model of the class {type(model).__name__}")
    return packed


def cache_folder() -> Path:
    """Where packed models are kept: $REGARD_CACHE, or regard/packed in the user's cache folder."""
    if own := os.environ.get("REGARD_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regard" / "packed"


def graphs_of(model: nn.Module, precision: str) -> dict[str, Graph]:
    """The model's graphs by the names of their files.

    Raises:
        UnsupportedError: a kind of model, a module or a setting that cannot be packed.
    """
    if isinstance(model, EncoderDecoder):
        return encoder_decoder.graphs(model, precision)
    if isinstance(model, Encoder):
        return encoder.graphs(model, precision)
    if isinstance(model, Decoder):
        return decoder.graphs(model, precision)
    if isinstance(model, VisionTransformer):
        return vision.graphs(model, precision)
    raise cannot_pack(f"a model of the class {type(model).__name__}")


def weights_sha256(model: nn.Module) -> str:
    """The SHA-256 of all that determines the model's function: class, config, parameters."""
    found = hashlib.sha256(f"{type(model).__name__} {getattr(model, 'config', '')}".encode())
    for name, parameter in model.named_parameters():
        found.update(f"{name} {tuple(parameter.shape)}\0".encode())
        found.update(as_array(parameter).tobytes())
    return found.hexdigest()


def write_packed(
    graphs: dict[str, Graph], model: nn.Module, folder: Path, *, precision: str, weights: str
) -> None:
    """Writes the graphs of a model, and the manifest, into an existing folder."""
    write_graphs(graphs | {PROBE: probe(precision)}, folder)
    manifest = {
        "regard": __version__,
        "format": FORMAT,
        "kind": _kind(model),
        "precision": precision,
        "weights_sha256": weights,
        "limits": _limits(model.config),
        "files": {file.name: sha256(file) for file in sorted(folder.iterdir())},
    }
    write_json(folder / MANIFEST, manifest)


def _kind(model: nn.Module) -> str:
    """ "Vision", or a name in `packed.OF_TEXTS`."""
    if isinstance(model, VisionTransformer):
        return "Vision"
    if isinstance(model, Encoder) or model.head is not None:
        return "Reader"
    return type(model).__name__


def _limits(config: Any) -> dict[str, Any]:
    """The fields of `packed.Limits`; none of a model of images."""
    if isinstance(config, VisionConfig):
        return {}
    endless = getattr(config, "positions", None) == "relative"
    positions = None if endless else config.max_positions
    return asdict(Limits(config.vocab_size, positions, config.pad_id))
