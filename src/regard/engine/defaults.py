"""A checkpoint's defaults for decoding, and the prefix it expects before each text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regard.checkpoints import Checkpoint
from regard.engine.calibration import UNCALIBRATED, Calibration
from regard.errors import DamagedFileError, refusing
from regard.generation import GenerationConfig
from regard.generation.config import NEW_TOKENS, SETTINGS


@dataclass(frozen=True)
class Defaults:
    """The defaults for one task."""

    generation: GenerationConfig
    prefix: str | None  # put before every text; None: there are several to choose from
    not_followed: tuple[str, ...]  # settings in the files that are not supported
    max_source_length: int | None = None  # tokens read of a text; None: as the model has positions
    calibration: Calibration = UNCALIBRATED


def read_defaults(checkpoint: Checkpoint) -> dict[str, Defaults]:
    """Return the defaults of each task in config.json ("translation_en_to_de"), and under "" the
    others.

    Settings are read from generation_config.json, or, as older checkpoints have it, from
    config.json itself; `task_specific_params` of config.json go before both, as they did in
    transformers' pipelines.

    Raises:
        DamagedFileError: a file is not valid JSON, or a setting is out of range or of the wrong
            type.
    """
    config, settings = checkpoint.settings, _settings(checkpoint)
    calibration = Calibration.of(checkpoint.files)
    with refusing(f"the generation settings in {checkpoint.folder} are malformed"):
        return {
            name: _defaults(settings | task, config.get("prefix") or "", calibration)
            for name, task in {"": {}, **task_settings(checkpoint)}.items()
        }


def read_lengths(checkpoint: Checkpoint) -> dict[str, int]:
    """Return the `max_length` and `min_length` of a language model's files, which count the prompt;
    where the new tokens are limited, they are not asked for."""
    settings = _settings(checkpoint)
    return {
        name: settings[name]
        for name, new in NEW_TOKENS.items()
        if settings.get(name) and settings.get(new) is None
    }


def _settings(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the decoding settings of generation_config.json, or among the model's."""
    settings = checkpoint.files.get("generation_config.json")
    return inside(checkpoint.settings) if settings is None else dict(settings)


def task_settings(checkpoint: Checkpoint) -> dict[str, dict[str, Any]]:
    """Return the settings of each task in config.json, such as "summarization"."""
    tasks = checkpoint.settings.get("task_specific_params") or {}
    if not isinstance(tasks, dict):
        raise DamagedFileError(
            f"task_specific_params in {checkpoint.folder}/config.json must be a JSON object;"
            f" it is a {type(tasks).__name__}. Copy the file again from where it came from."
        )
    return tasks


def inside(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decoding settings among the model's."""
    return {name: config[name] for name in SETTINGS if name in config}


def _defaults(settings: Mapping[str, Any], prefix: str, calibration: Calibration) -> Defaults:
    settings = dict(settings)
    prefix = settings.pop("prefix", prefix)
    longest = settings.pop("max_source_length", None)
    if longest is not None and not (type(longest) is int and longest > 0):
        raise TypeError(f"max_source_length must be a number of tokens; got {longest!r}")
    generation, not_followed = GenerationConfig.from_dict(settings)
    return Defaults(generation, prefix, tuple(not_followed), longest, calibration)
