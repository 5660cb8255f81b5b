"""A model's packed form, built from its layers and written into a folder."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import nn

from regard.errors import check_choice
from regard.files import sha256, write_json
from regard.models import Model
from regard.runtime.graph import Graph, as_array, cannot_pack, write_graphs
from regard.runtime.linear import PRECISIONS, probe
from regard.runtime.models import decoder, encoder, encoder_decoder, vision
from regard.runtime.packed import MANIFEST, PROBE, Limits
from regard.version import __version__

_GRAPHS: dict[str, Callable[[Any, str], dict[str, Graph]]] = {
    "EncoderDecoder": encoder_decoder.graphs,
    "Encoder": encoder.graphs,
    "Decoder": decoder.graphs,
    "VisionTransformer": vision.graphs,
}


def check_precision(precision: str) -> None:
    """Raises BadArgumentError for a precision that products cannot be packed in."""
    check_choice("precision", precision, PRECISIONS)


def graphs_of(model: nn.Module, precision: str) -> dict[str, Graph]:
    """The model's graphs by the names of their files.

    Raises:
        UnsupportedError: a kind of model, a module or a setting that cannot be packed.
    """
    graphs = _GRAPHS.get(getattr(model, "architecture", ""))
    if graphs is None:
        raise cannot_pack(f"a model of the class {type(model).__name__}")
    return graphs(model, precision)


def weights_sha256(model: nn.Module) -> str:
    """The SHA-256 of all that determines the model's function: class, config, parameters."""
    content = hashlib.sha256(f"{type(model).__name__} {getattr(model, 'config', '')}".encode())
    for name, parameter in model.named_parameters():
        content.update(f"{name} {tuple(parameter.shape)}\0".encode())
        content.update(as_array(parameter).tobytes())
    return content.hexdigest()


def write_packed(
    model: nn.Module,
    folder: Path,
    *,
    precision: str,
    key: str,
    format: int,
    source: Path | None = None,
) -> None:
    """Writes the graphs of a model, and the manifest, into an existing folder.

    Args:
        key: the hash that the packed model is found by.
        format: of the graphs and the manifest.
        source: the folder of the model; None: it is in memory only.
    """
    graphs = graphs_of(model, precision)
    assert isinstance(model, Model), "a model with graphs is one of ours"
    write_graphs(graphs | {PROBE: probe(precision)}, folder)
    manifest = {
        "regard": __version__,
        "format": format,
        "kind": _kind(model),
        "precision": precision,
        "key": key,
        "source": None if source is None else str(source),
        "limits": {} if model.reads == "image" else _limits(model.config),
        "config": asdict(model.config),
        "files": {file.name: sha256(file) for file in sorted(folder.iterdir())},
    }
    write_json(folder / MANIFEST, manifest)


def _kind(model: Model) -> str:
    """A name in `packed.KINDS`."""
    if model.reads == "image":
        return "Vision"
    return model.architecture if model.writes else "Reader"


def _limits(config: Any) -> dict[str, Any]:
    """The fields of `packed.Limits`."""
    endless = getattr(config, "positions", None) == "relative"
    positions = None if endless else config.max_positions
    return asdict(Limits(config.vocab_size, positions, config.pad_id))
