"""The model card of a trained model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.checkpoints.card import write_card

if TYPE_CHECKING:  # what reads a card need not load torch
    from torch import nn

    from regard.training import Progress
    from regard.training.options.run import RunOptions
    from regard.training.recipe import Recipe


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
