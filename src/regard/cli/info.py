"""`regard info`: what a model is and where it comes from, or what this installation has."""

import json
import os
import platform
from pathlib import Path
from typing import Annotated, Any

import typer

from regard import __version__


def info(
    model: Annotated[
        str | None,
        typer.Argument(help="A shipped model's name or a model folder; without it, the versions."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> None:
    """Show a model's card, or versions, threads and the shipped models."""
    facts = _installation() if model is None else _model(model)
    print(json.dumps(facts, ensure_ascii=False, indent=2) if as_json else _table(facts))


def _installation() -> dict[str, Any]:
    from importlib.metadata import version  # 20 ms that `regard --help` does not need

    import torch

    from regard.tasks import SHIPPED

    libraries = ("torch", "tokenizers", "safetensors", "sacrebleu", "numpy")
    return {
        "regard": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
        "cpu cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "shipped models": list(SHIPPED),
    }


def _model(name: str) -> dict[str, Any]:
    from regard.checkpoints import read_config
    from regard.tasks.card import read_card
    from regard.tasks.loading import find

    folder = find(name)
    config = read_config(folder)
    card = read_card(folder)
    facts: dict[str, Any] = {
        "model": name,
        "folder": str(folder),
        "architecture": config["model_type"],
        "parameters": _parameters(folder / "model.safetensors"),
        "vocabulary": config["vocab_size"],
        "layers": [config["encoder_layers"], config["decoder_layers"]],
        "d_model": config["d_model"],
        "heads": config["encoder_attention_heads"],
        "positions": config["max_position_embeddings"],
        "weights": config.get("dtype"),
    }
    return facts | {name: fact for name, fact in card.items() if name not in facts}


def _parameters(weights: Path) -> int | None:
    """Counted from the file's header: no weight is read."""
    if not weights.exists():
        return None
    with weights.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    total = 0
    for name, tensor in header.items():
        if name != "__metadata__":
            size = 1
            for length in tensor["shape"]:
                size *= length
            total += size
    return total


def _table(facts: dict[str, Any]) -> str:
    width = max(map(len, facts))
    return "\n".join(
        f"{name.replace('_', ' '):<{width}}  {_cell(fact)}" for name, fact in facts.items()
    )


def _cell(fact: object) -> str:
    if fact is None:
        return "none"
    if isinstance(fact, dict):
        return ", ".join(f"{name} {_cell(value)}" for name, value in fact.items())
    if isinstance(fact, list):
        return ", ".join(map(_cell, fact)) or "none"
    if isinstance(fact, int) and not isinstance(fact, bool):
        return f"{fact:,}"
    return str(fact)
