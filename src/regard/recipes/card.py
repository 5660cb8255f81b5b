"""The model card: README.md beside the weights, its facts also as YAML front matter."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.files import whole_file

if TYPE_CHECKING:  # what reads a card need not load torch
    from torch import nn

    from regard.recipes.options.run import RunOptions
    from regard.recipes.recipe import Recipe
    from regard.training import Progress


def training_facts(
    model: nn.Module, options: RunOptions, progress: Progress, command: str
) -> dict[str, Any]:
    """Return the facts of every card: how the model was trained."""
    figures = {name: round(value, 4) for name, value in progress.figures.items()}
    return {
        "license": options.license,
        "library_name": "regard",
        "parameters": sum(p.numel() for p in model.parameters()),
        "command": command,
        "minutes": round(progress.seconds / 60, 1),
        "step": progress.step,
        "tokens": progress.tokens,
        **({"dev": figures} if figures else {}),
    }


class CardText(NamedTuple):
    """A recipe's own part of the card of its model."""

    counts: Mapping[str, int]  # what is trained on: {"texts": 120}
    results: Sequence[str]  # lines on the dev set
    about: Sequence[str] = ()  # lines on what the model does
    facts: Mapping[str, Any] = {}  # more of them, or others


def write_run_card(
    recipe: Recipe[Any, Any],
    model: nn.Module,
    origin: str,
    progress: Progress,
    folder: Path,
    text: CardText,
) -> None:
    """Write the card of a recipe's best model so far."""
    options, kind = recipe.options, recipe.describe(model)
    base = getattr(options, "base_model", None)
    facts = {
        "pipeline_tag": recipe.tag,
        "kind": kind,
        "data": options.data_note or origin,
        **{f"training_{noun}": number for noun, number in text.counts.items()},
        **({"base_model": base} if base else {}),
        **training_facts(model, options, progress, recipe.command),
        **text.facts,
    }
    amount = ", ".join(
        f"{number:,} {noun.removesuffix('s') if number == 1 else noun}"
        for noun, number in text.counts.items()
    )
    lines = [
        f"{kind[:1].upper()}{kind[1:]}: {facts['parameters']:,} parameters",
        *text.about,
        f"Data: {facts['data']} ({amount} to train on)",
        f"License of these weights: {options.license}",
        f"Command: `{recipe.command}`",
        f"Training: {facts['minutes']} minutes, {progress.step:,} steps,"
        f" {progress.tokens:,} tokens",
        *text.results,
    ]
    write_card(folder, recipe.title, facts, lines)


def write_card(
    folder: str | os.PathLike[str], title: str, facts: dict[str, Any], lines: Sequence[str]
) -> None:
    """Writes a card: its facts for programs, and a list of lines for people."""
    with whole_file(Path(folder) / "README.md") as file:
        file.write_text(render(title, facts, lines), encoding="utf-8")


def render(title: str, facts: dict[str, Any], lines: Sequence[str]) -> str:
    """The card's text. The values of its front matter are JSON, which is also YAML."""
    front = "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()
    )
    listed = "\n".join(f"- {line}" for line in lines)
    return f"---\n{front}\n---\n# {title}\n\n{listed}\n"


def read_card(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts in a folder's card, one a line as `write_card` writes them; empty without a card.

    PyYAML does not read it: in a stranger's card, aliases could expand without limit, dates would
    not fit into JSON, and `no`, the code of Norwegian, would be False.
    """
    file = Path(folder) / "README.md"
    if not file.is_file():
        return {}
    parts = file.read_text(encoding="utf-8", errors="replace").split("---\n", 2)
    if len(parts) < 3 or parts[0]:
        return {}
    facts = {}
    for line in parts[1].split("\n"):
        name, separator, value = line.partition(": ")
        if not separator:
            continue
        try:
            facts[name] = json.loads(value)
        except (ValueError, RecursionError):
            facts[name] = value
    return facts
