"""What the configs of all models do alike: their checks and their presets."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from regard.errors import BadArgumentError, unknown

Config = TypeVar("Config")


def from_preset(
    config: Callable[..., Config],
    presets: Mapping[str, Mapping[str, Any]],
    name: str,
    **changes: Any,
) -> Config:
    """The config with the values of the named preset, but for the changes.

    Raises BadArgumentError for an unknown name.
    """
    if name not in presets:
        raise unknown("preset", name, presets)
    return config(**{**presets[name], **changes})


def check_choices(config: object, choices: Mapping[str, Sequence[str]]) -> None:
    """Raises BadArgumentError unless each named field has one of its allowed values."""
    for name, allowed in choices.items():
        if (value := getattr(config, name)) not in allowed:
            raise unknown(name, value, allowed)


def check_token_ids(config: Any) -> None:
    """Raises BadArgumentError unless pad_id, eos_id and start_id are in the vocabulary."""
    for name in ("pad_id", "eos_id", "start_id"):
        value, size = getattr(config, name), config.decoder_vocab_size
        if not 0 <= value < size:
            raise BadArgumentError(f"{name} must be below the vocabulary's {size}; got {value}.")
