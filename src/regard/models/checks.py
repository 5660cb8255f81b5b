"""What the configs of all models check alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import RegardError


def check_choices(config: object, choices: Mapping[str, Sequence[str]]) -> None:
    """Raises RegardError unless each named field of the config has one of its allowed values."""
    for name, allowed in choices.items():
        if (value := getattr(config, name)) not in allowed:
            raise RegardError(f"{name} must be one of {', '.join(allowed)}; got {value!r}.")


def check_token_ids(config: Any) -> None:
    """Raises RegardError unless pad_id, eos_id and start_id are in the decoder's vocabulary."""
    for name in ("pad_id", "eos_id", "start_id"):
        value, size = getattr(config, name), config.decoder_vocab_size
        if not 0 <= value < size:
            raise RegardError(f"{name} must be below the vocabulary's {size}; got {value}.")
