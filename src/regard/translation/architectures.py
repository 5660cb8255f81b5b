"""The kinds of model that can be trained to translate, by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from regard.errors import BadArgumentError, unknown
from regard.models import (
    AnyEncoderDecoder,
    EncoderDecoder,
    RecurrentEncoderDecoder,
    preset,
    recurrent_preset,
)
from regard.text import TokenizerPair

if TYPE_CHECKING:
    from regard.translation.training import TrainingOptions


@dataclass(frozen=True)
class Architecture:
    """How one kind of model is made from the options of training."""

    config: Callable[..., Any]  # (preset's name, vocabulary, **changed fields) → its config
    model: Callable[[Any], AnyEncoderDecoder]
    # Peak learning rates that trained well from scratch; smaller for wider models.
    learning_rates: dict[str, float]
    # Options that no other kind has, each a field of its config, and their defaults.
    own: dict[str, Any] = field(default_factory=dict)


ARCHITECTURES = {
    "transformer": Architecture(
        config=preset,
        model=EncoderDecoder,
        learning_rates={"tiny": 5e-3, "small": 2e-3, "base": 7e-4, "big": 5e-4},
        own={"norm": "pre"},
    ),
    "recurrent": Architecture(
        config=recurrent_preset,
        model=RecurrentEncoderDecoder,
        learning_rates={"tiny": 3e-3, "small": 2e-3, "base": 1e-3},
        own={"cell": "gru", "attention": "bahdanau"},
    ),
}


def configure(options: "TrainingOptions", vocab_size: int, **changes: object) -> Any:
    """The config of the model that the options describe.

    Raises:
        BadArgumentError: an unknown architecture or preset, or an option of another architecture.
    """
    if options.architecture not in ARCHITECTURES:
        raise unknown("architecture", options.architecture, ARCHITECTURES)
    for name, other in ARCHITECTURES.items():
        for option, default in other.own.items() if name != options.architecture else ():
            if getattr(options, option) != default:
                raise BadArgumentError(
                    f"{option} is an option of architecture {name!r}; got {option} ="
                    f" {getattr(options, option)!r} with {options.architecture!r}. Leave it out."
                )
    architecture = ARCHITECTURES[options.architecture]
    changes |= {option: getattr(options, option) for option in architecture.own}
    if options.dropout is not None:
        changes["dropout"] = options.dropout
    return architecture.config(options.preset, vocab_size, **changes)


def build(options: "TrainingOptions", tokenizers: TokenizerPair) -> AnyEncoderDecoder:
    """A fresh model for these tokenizers."""
    target = tokenizers.target
    config = configure(
        options,
        tokenizers.source.vocab_size,
        target_vocab_size=None if tokenizers.joint else target.vocab_size,
        pad_id=target.pad_id,
        eos_id=target.eos_id,
        start_id=target.pad_id,
    )
    return ARCHITECTURES[options.architecture].model(config)


def learning_rate(options: "TrainingOptions") -> float:
    """The peak: as given, or the preset's."""
    if options.learning_rate is not None:
        return options.learning_rate
    return ARCHITECTURES[options.architecture].learning_rates[options.preset]


def describe(options: "TrainingOptions") -> str:
    """The model in a few words: "transformer tiny, norm pre"."""
    own = ARCHITECTURES[options.architecture].own
    parts = [f"{option} {getattr(options, option)}" for option in own]
    return ", ".join([f"{options.architecture} {options.preset}", *parts])
