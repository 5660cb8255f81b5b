"""A model as ONNX graphs: the folder that `regard export onnx` writes."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.checkpoints import Checkpoint, CheckpointLike, from_pretrained, open_checkpoint
from regard.configs.heads import HEADS
from regard.errors import BadArgumentError, NotFoundError, check_choice
from regard.exporting.graph import Graph, cannot_export, write_graphs
from regard.exporting.linear import PRECISIONS
from regard.exporting.models import decoder, encoder, encoder_decoder, vision
from regard.exporting.readme import readme
from regard.files import whole_folder, write_json
from regard.packages import optional_package
from regard.tasks.classification import read_problem_type
from regard.tasks.embedding import read_settings
from regard.tasks.kinds import kind_of

# What config.json leaves to other files: decoding, images, the limits of a text.
SETTINGS = ("generation_config.json", "preprocessor_config.json", "sentence_bert_config.json")
_GRAPHS: dict[str, Callable[[Any, str], dict[str, Graph]]] = {
    "EncoderDecoder": encoder_decoder.graphs,
    "Encoder": encoder.graphs,
    "Decoder": decoder.graphs,
    "VisionTransformer": vision.graphs,
}


@dataclass(frozen=True)
class Exported:
    """The folder that was written."""

    folder: Path
    graphs: tuple[str, ...]  # names of the .onnx files
    own_operators: tuple[str, ...]  # those that ONNX Runtime alone has
    bytes: int


def export_onnx(
    model: CheckpointLike, folder: str | os.PathLike[str], precision: str = "fp32"
) -> Exported:
    """Writes the graphs of a model, its tokenizer, its settings and a README.md into a new folder,
    completely or not at all.

    Args:
        model: a name as `load` takes it.
        folder: must not exist, or be empty.
        precision: of the matrix products: "fp32"; "int8", a quarter of the size, in which weights
            are scaled by column and activations by row; or "int4", a sixth, in which both are
            scaled by blocks of 32, for large models.

    Raises:
        BadArgumentError: an unknown precision, or a folder that has files.
        NotFoundError: no such model, or a file of it is missing.
        UnsupportedError: a kind of model, a module or a setting that cannot be exported.
        UnavailableError: the package onnx is not installed.
    """
    folder = Path(folder)
    check_choice("precision", precision, PRECISIONS)
    with optional_package("onnx", "exporting to ONNX needs"):
        import onnx  # noqa: F401
    _check_new(folder)
    checkpoint = open_checkpoint(model)
    kind = kind_of(checkpoint)
    encoder, pooling = checkpoint, None
    if kind == "feature-extraction":
        inner, pooling = read_settings(checkpoint.folder)
        if inner != checkpoint.folder:
            encoder = Checkpoint(inner, name=checkpoint.name)
    network = from_pretrained(encoder)
    graphs, head = graphs_of(network, precision), network.head_name
    if kind == "feature-extraction":  # which reads the states, whatever the head
        graphs = {"body": graphs["body"]}
    operators = own_operators(graphs)
    with whole_folder(folder) as unfinished:
        write_graphs(graphs, unfinished)
        _write_settings(encoder, head, unfinished)
        text = readme(
            encoder,
            kind,
            head,
            graphs,
            operators,
            precision=precision,
            files=[file.name for file in unfinished.iterdir()],
            pooling=pooling,
        )
        (unfinished / "README.md").write_text(text, encoding="utf-8")
    size = sum(file.stat().st_size for file in folder.iterdir())
    return Exported(folder, tuple(graphs), operators, size)


def graphs_of(model: Any, precision: str) -> dict[str, Graph]:
    """The model's graphs by the names of their files.

    Raises:
        UnsupportedError: a kind of model, a module or a setting that cannot be exported.
    """
    graphs = _GRAPHS.get(getattr(model, "architecture", ""))
    if graphs is None:
        raise cannot_export(f"a model of the class {type(model).__name__}")
    return graphs(model, precision)


def own_operators(graphs: Mapping[str, Graph]) -> tuple[str, ...]:
    """The operators of these graphs that are not in the ONNX standard, "domain: name", in order."""
    from onnx import defs

    every = {(node.domain, node.type) for graph in graphs.values() for node in graph.nodes}
    missing = sorted((domain, name) for domain, name in every if not defs.has(name, domain))
    return tuple(f"{domain or 'ai.onnx'}: {name}" for domain, name in missing)


def _check_new(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or next(folder.iterdir(), None) is not None):
        what = "it has files" if folder.is_dir() else "it is a file"
        raise BadArgumentError(
            f"output must be a new or an empty folder; {folder} is not: {what}."
            " Give another name, or remove it."
        )


def _write_settings(checkpoint: Checkpoint, head: str, folder: Path) -> None:
    labels = HEADS[head].entries == "label"
    problem = {"problem_type": read_problem_type(checkpoint)} if labels else {}
    write_json(folder / "config.json", checkpoint.settings | problem)
    for name in SETTINGS:
        settings = checkpoint.files.get(name)
        if settings is not None:
            write_json(folder / name, settings)
    if checkpoint.architecture == "VisionTransformer":
        if not (folder / "preprocessor_config.json").is_file():
            raise NotFoundError(
                f"{checkpoint.folder} has no preprocessor_config.json, which says how to prepare"
                " images. Copy it from where the model came from."
            )
        return
    checkpoint.tokenizers.save(folder)
