"""What the configs of all models check alike."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import BadArgumentError, unknown


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
