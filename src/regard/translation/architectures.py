"""The kinds of model that can be trained to translate, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from regard.errors import unknown
from regard.models import (
    AnyEncoderDecoder,
    EncoderDecoder,
    RecurrentEncoderDecoder,
    preset,
    recurrent_preset,
)
from regard.recipes.options.sequences import SEQUENCE_RATES


@dataclass(frozen=True)
class Architecture:
    """How one kind of model is made from the options of training."""

    config: Callable[..., Any]  # (preset's name, vocabulary, **changed fields) → its config
    model: Callable[[Any], AnyEncoderDecoder]
    # Peak learning rates that trained well from scratch; smaller for wider models.
    learning_rates: dict[str, float]
    own: tuple[str, ...]  # options that no other kind has, each a field of its config


ARCHITECTURES = {
    "transformer": Architecture(
        config=preset,
        model=EncoderDecoder,
        learning_rates=SEQUENCE_RATES,
        own=("norm",),
    ),
    "recurrent": Architecture(
        config=recurrent_preset,
        model=RecurrentEncoderDecoder,
        learning_rates={"tiny": 3e-3, "small": 2e-3, "base": 1e-3},
        own=("cell", "attention"),
    ),
}


def find_architecture(name: str) -> Architecture:
    """The architecture of this name.

    Raises:
        BadArgumentError: there is no such architecture.
    """
    if name not in ARCHITECTURES:
        raise unknown("architecture", name, ARCHITECTURES)
    return ARCHITECTURES[name]
