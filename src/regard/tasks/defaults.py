"""How a checkpoint wants to be asked: its settings of decoding, and the text before each text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from regard.checkpoints import read_config
from regard.errors import RegardError
from regard.generation import GenerationConfig


@dataclass(frozen=True)
class Defaults:
    """What the files of a checkpoint say of one task."""

    generation: GenerationConfig
    prefix: str | None  # put before every text; None: there are several to choose from
    not_followed: tuple[str, ...]  # settings that decoding here has not


def read_defaults(folder: Path) -> dict[str, Defaults]:
    """The defaults of each task that config.json names ("translation_en_to_de"); of none under "".

    Settings are read from generation_config.json, or, as older checkpoints have it, from
    config.json itself; `task_specific_params` of config.json go before both, as they did in
    transformers' pipelines.

    Raises:
        RegardError: a file that is no JSON, or a setting out of range.
    """
    config = read_config(folder)
    file = folder / "generation_config.json"
    settings = _read(file) if file.exists() else _inside(config)
    tasks = config.get("task_specific_params") or {}
    return {
        name: _defaults(settings | task, config.get("prefix") or "")
        for name, task in {"": {}, **tasks}.items()
    }


_KEYS = (
    *(field.name for field in fields(GenerationConfig)),
    *("max_length", "min_length", "num_beam_groups", "diversity_penalty", "typical_p"),
    *("encoder_no_repeat_ngram_size", "exponential_decay_length_penalty", "suppress_tokens"),
    *("begin_suppress_tokens", "epsilon_cutoff", "eta_cutoff"),
)


def _inside(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of decoding among those of the model."""
    return {name: config[name] for name in _KEYS if name in config}


def _defaults(settings: Mapping[str, Any], prefix: str) -> Defaults:
    settings = dict(settings)
    prefix = settings.pop("prefix", prefix)
    generation, not_followed = GenerationConfig.from_dict(settings)
    return Defaults(generation, prefix, tuple(not_followed))


def _read(file: Path) -> dict[str, Any]:
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RegardError(f"{file} is not valid JSON ({error}).") from error
    if not isinstance(settings, dict):
        raise RegardError(f"{file} must be a JSON object; it is a {type(settings).__name__}.")
    return settings
