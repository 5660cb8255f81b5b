"""What a folder of sentence-transformers says of its vectors, beside the encoder itself."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.errors import RegardError

POOLINGS = ("mean", "cls", "max")  # of those that sentence-transformers has


@dataclass(frozen=True)
class EmbedderSettings:
    """How the states of an encoder become vectors."""

    folder: Path  # of the model itself
    pooling: str = "mean"  # a name in POOLINGS
    normalise: bool = True
    max_length: int | None = None  # tokens of a text, special ones included; None: the model's
    lowercase: bool = False  # before the tokenizer


def read_settings(folder: Path) -> EmbedderSettings:
    """What modules.json and the folders it names say; mean and length one where there is none.

    Raises:
        RegardError: a module other than an encoder, pooling and normalisation; a missing file.
    """
    if not (folder / "modules.json").is_file():
        return EmbedderSettings(folder)
    modules = {}
    for module in _read(folder / "modules.json"):
        kind = str(module["type"]).rpartition(".")[2]
        if kind not in ("Transformer", "Pooling", "Normalize"):
            raise RegardError(
                f"{folder}/modules.json may name Transformer, Pooling and Normalize; it names"
                f" {kind}. Use sentence-transformers for this model."
            )
        modules[kind] = folder / str(module.get("path", ""))
    model = modules.get("Transformer", folder)
    file = model / "sentence_bert_config.json"
    told = _read(file) if file.is_file() else {}
    pooling = _pooling(modules["Pooling"] / "config.json") if "Pooling" in modules else "mean"
    return EmbedderSettings(
        model,
        pooling,
        normalise="Normalize" in modules,
        max_length=told.get("max_seq_length"),
        lowercase=bool(told.get("do_lower_case")),
    )


def _pooling(file: Path) -> str:
    """By its name, or by the flags of older files."""
    told = _read(file)
    flags = [key for key, value in told.items() if key.startswith("pooling_mode_") and value]
    names = told.get("pooling_mode") or [
        flag.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for flag in flags
    ]
    names = [names] if isinstance(names, str) else names
    if len(names) != 1 or names[0] not in POOLINGS:
        raise RegardError(
            f"{file} must name one way of pooling of {', '.join(POOLINGS)}; it names"
            f" {', '.join(names) or 'none'}. Use sentence-transformers for this model."
        )
    return str(names[0])


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RegardError(f"modules.json asks for {file}, which is not there. Copy it.") from None
    except ValueError as error:
        raise RegardError(f"{file} is not valid JSON ({error}).") from error
