"""`regard info`: what a model is and where it comes from, or what this installation has."""

import json
import os
import platform
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard import __version__, checkpoints, course, engine, tasks
from regard.checkpoints import shipped
from regard.cli.columns import columns
from regard.cli.options import Json, argument, option
from regard.errors import BadArgumentError, UnsupportedError
from regard.lazy import torch
from regard.tasks import catalog

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig

LISTED = 20  # of a list in the table; --json has them all

Model = Annotated[
    str | None,
    argument(
        "A shipped model's name, a folder of a model or of word vectors, or hub:org/name;"
        " without it, the versions and the shipped models."
    ),
]
Taps = Annotated[
    bool, option("List the attention layers, by the names that look and trace use.", "--taps")
]


def info(model: Model = None, as_json: Json = False, taps: Taps = False) -> None:
    """Show a model's card, or versions, threads and the shipped models."""
    if taps:
        if model is None:
            raise BadArgumentError("--taps lists the attention layers of a model; name one.")
        found = [asdict(layer) for layer in tasks.looking.attention_layers(model)]
        if not found:
            raise UnsupportedError(f"{model} has no attention layers: it sees one fixed context.")
        names = [name.replace("_", " ") for name in found[0]]
        rows = [names, *(list(map(str, row.values())) for row in found)]
        print(json.dumps(found, indent=2) if as_json else columns(rows))
        return
    facts = _installation() if model is None else _vectors(model) or _model(model)
    if as_json:
        print(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    models = facts.pop("shipped models", {})
    print(_table(facts))
    for name, about in models.items():
        print(f"\n{name}: {about['what']}\n  regard {', '.join(about['used_with'])}")


def _installation() -> dict[str, Any]:
    # 20 ms that `regard --help` does not need.
    from importlib.metadata import PackageNotFoundError, version

    def installed(name: str) -> str | None:
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    libraries = ("torch", "tokenizers", "safetensors", "sacrebleu", "numpy")
    versions, gpu = {name: installed(name) for name in libraries}, None
    threads = engine.batching.cores()
    if versions["torch"] is not None:
        threads = torch.get_num_threads()
        gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return {
        "regard": __version__,
        "python": platform.python_version(),
        **versions,
        "cpu cores": os.cpu_count(),
        "threads": threads,
        "gpu": gpu,
        "shipped models": {
            name: {"what": each.what, "used_with": list(catalog.KINDS[each.kind].commands)}
            for name, each in shipped.SHIPPED.items()
        },
    }


def _vectors(name: str) -> dict[str, Any] | None:
    """Of a folder of word vectors; None where it is something else."""
    model = shipped.find(name)
    folder = Path(name) if model is None else model.folder
    if not shipped.is_vectors(folder):
        return None
    vectors = course.words.load_vectors(folder)
    facts = {"words": len(vectors), "dim": vectors.dim}
    return _described(name, folder, catalog.KINDS["word-vectors"].what, "word-vectors", facts)


def _model(name: str) -> dict[str, Any]:
    """No weight is read: config.json has the sizes, the headers of the files the rest."""
    checkpoint = checkpoints.open_checkpoint(name)
    config, weights = checkpoint.config, checkpoint.weights
    directions = _directions(checkpoint.settings)
    facts = {
        "architecture": checkpoint.settings["model_type"],
        **({"directions": directions} if directions else {}),
        "parameters": sum(map(prod, weights.shapes.values())),
        "weights": ", ".join(sorted(set(weights.dtypes.values()))),
        **{
            title: fact
            for title, fields in _FACTS.items()
            if (fact := _fact(config, fields)) not in (None, (), [])
        },
    }
    what, kind = tasks.kinds.describe(checkpoint), tasks.kinds.kind_of(checkpoint)
    return _described(name, checkpoint.folder, what, kind, facts)


def _directions(settings: dict[str, Any]) -> list[str]:
    """Of a translator of several languages by prefix, such as T5: ["en → de", "en → hi"]."""
    tasks = settings.get("task_specific_params")
    found = (task.split("_to_") for task in (tasks if isinstance(tasks, dict) else {}))
    return [
        f"{parts[0].removeprefix('translation_')} → {parts[1]}"
        for parts in found
        if len(parts) == 2 and parts[0].startswith("translation_")
    ]


def _described(
    name: str, folder: Path, what: str, kind: str, facts: dict[str, Any]
) -> dict[str, Any]:
    """Return the facts after what a model is and what it is used with, before its card."""
    model = shipped.find(name)
    facts = {
        "model": name,
        "folder": str(folder),
        "what": what if model is None else model.what,
        "used_with": list(catalog.KINDS[kind].commands),
        **facts,
    }
    card = checkpoints.card.read_card(folder)
    return facts | {name: fact for name, fact in card.items() if name not in facts}


# The facts printed of a model: fields of its config, a list where there are two sides.
_FACTS = {
    "vocabulary": ("vocab_size", "target_vocab_size"),
    "layers": ("num_layers", "encoder_layers", "decoder_layers"),
    "d_model": ("d_model",),
    "heads": ("num_heads", "encoder_heads", "decoder_heads"),
    "key_heads": ("num_key_heads",),
    "hidden_size": ("hidden_size",),
    "cell": ("cell",),
    "attention": ("attention",),
    "positions": ("max_positions",),
    "window": ("window",),
    "image": ("image_size",),
    "patch": ("patch_size",),
    "head": ("head",),
    "labels": ("labels",),
}


def _fact(config: "ModelConfig", fields: tuple[str, ...]) -> object:
    values = [fact for name in fields if (fact := getattr(config, name, None)) is not None]
    return values if len(values) > 1 else next(iter(values), None)


def _table(facts: dict[str, Any]) -> str:
    return columns([[name.replace("_", " "), _cell(fact)] for name, fact in facts.items()], left=2)


def _cell(fact: object) -> str:
    if fact is None:
        return "none"
    if isinstance(fact, dict):
        return ", ".join(f"{name} {_cell(value)}" for name, value in fact.items())
    if isinstance(fact, list | tuple):
        more = [f"and {len(fact) - LISTED} more"] if len(fact) > LISTED else []
        return ", ".join([*map(_cell, fact[:LISTED]), *more]) or "none"
    if isinstance(fact, int) and not isinstance(fact, bool):
        return f"{fact:,}"
    return str(fact)
