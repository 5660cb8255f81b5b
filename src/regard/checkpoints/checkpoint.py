"""A model folder whose files are read once, and passed to whatever needs them."""

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, TypeAlias, get_type_hints

from regard.checkpoints import ctranslate2, gguf
from regard.checkpoints.card import read_card
from regard.checkpoints.families import Entry, find_family
from regard.checkpoints.family import Family, is_a
from regard.checkpoints.hub import find_folder
from regard.checkpoints.weights import Weights, is_ctranslate2, open_weights, weight_files
from regard.errors import (
    BadArgumentError,
    NotFoundError,
    RegardError,
    UnsupportedError,
    refusing,
)
from regard.files import sha256
from regard.json_files import JsonFiles, JsonObject
from regard.models.configs.config import ModelConfig
from regard.text import TokenizerPair

MOST_LAYERS = 1000
MOST_POSITIONS = 2**18  # of a table of sinusoids


class Checkpoint:
    """A model folder in Hugging Face's layout; nothing is read before it is needed.

    Args:
        folder: with config.json, the weights and, of a model that reads text, the tokenizer.
        name: what to call the model in messages; the folder's name by default.
    """

    def __init__(self, folder: str | os.PathLike[str], *, name: str | None = None):
        self.folder = Path(folder)
        self.name = name or self.folder.name
        self.files = JsonFiles(folder)

    @property
    def settings(self) -> JsonObject:
        """The content of config.json."""
        settings = self.files.get("config.json")
        if settings is None:
            raise _no_model(self.folder, self.files)
        return settings

    @property
    def entry(self) -> Entry:
        """Entry of the family of its model_type, which must be one of `families.TYPES`."""
        return find_family(self.settings.get("model_type"), where=f"{self.folder}/config.json")

    @cached_property
    def family(self) -> Family:
        """The family itself, whose module is imported."""
        return self.entry.family

    @property
    def architecture(self) -> str:
        """The name of the model's class, such as "EncoderDecoder", without importing it."""
        return self.entry.model

    @property
    def pooling(self) -> str | None:
        """The way in which a text's vector is made, where the weights' file says it."""
        return None

    @property
    def has_heads(self) -> bool:
        """Return True if a writing model of its family may have a head for labels or answers."""
        return bool(self.entry.headed)

    @cached_property
    def config(self) -> ModelConfig:
        """The model's configuration, such as an EncoderConfig."""
        family = self.family
        with self.describing():
            config = family.from_config(self.settings)
            check_config(config)
        if family.complete is None:
            return config
        try:
            weights = self.weights
        except RegardError:  # raised again when the weights are read
            return config
        return family.complete(config, weights)

    @cached_property
    def weights(self) -> Weights:
        """The weights by their names in the files; see `open_weights`."""
        return open_weights(self.folder)

    @cached_property
    def card(self) -> Mapping[str, Any]:
        """Facts of the model's card."""
        return read_card(self.folder)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of config.json and of the bytes of the files of the weights."""
        digest = hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode())
        for file in weight_files(self.folder):
            digest.update(sha256(file).encode())
        return digest.hexdigest()

    @cached_property
    def tokenizers(self) -> TokenizerPair:
        """Tokenizers of source and target; one and the same where the folder has one."""
        return TokenizerPair.load(self.folder, files=self.files)

    def describing(self) -> AbstractContextManager[None]:
        """Turn any exception inside the block into a RegardError about config.json."""
        model_type = self.settings.get("model_type")
        return refusing(f"{self.folder}/config.json does not describe a {model_type} model")


def _no_model(folder: Path, files: JsonFiles) -> RegardError:
    """Return the refusal of a folder without config.json."""
    adapter = files.get("adapter_config.json")
    if adapter is None:
        return NotFoundError(f"{folder} is not a model folder: it has no config.json.")
    kind, base = adapter.get("peft_type", "PEFT"), adapter.get("base_model_name_or_path")
    return UnsupportedError(
        f"{folder} has an adapter alone ({kind}), for the model {base or 'that it does not name'}."
        " Merge the two: open the folder with peft's AutoPeftModel… of its task, call"
        " merge_and_unload(), and give the folder that save_pretrained writes, with the tokenizer."
    )


CheckpointLike: TypeAlias = str | os.PathLike[str] | Checkpoint


def open_checkpoint(name: CheckpointLike) -> Checkpoint:
    """Return the checkpoint of a name, as `find_folder` takes it; a Checkpoint is returned as it
    is.

    >>> checkpoint = open_checkpoint("en-de")
    >>> checkpoint.config.d_model, checkpoint.name
    (256, 'en-de')
    """
    if isinstance(name, Checkpoint):
        return name
    folder = find_folder(name)
    if folder.is_file():
        return gguf.GGUFCheckpoint(folder)
    if is_ctranslate2(folder):
        return ctranslate2.CTranslate2Checkpoint(folder, name=Path(name).name)
    return Checkpoint(folder, name=Path(name).name)


def check_config(config: ModelConfig) -> None:
    """Raise an error for fields of another type, or out of range, in a config from a file."""
    _check_types(config)
    _check_sizes(config)


def _check_types(config: ModelConfig) -> None:
    """Raise TypeError if a field is not of the type that its dataclass declares.

    pydantic would check what it builds itself; these are built already, by the families.
    """
    hints = get_type_hints(type(config))
    for name, value in vars(config).items():
        if isinstance(value, ModelConfig):
            _check_types(value)
        if not is_a(value, hints[name]):
            expected = getattr(hints[name], "__name__", str(hints[name]))
            raise TypeError(f"{name} must be {expected}; got {value!r}")


def _check_sizes(config: ModelConfig) -> None:
    """Raise BadArgumentError for sizes whose memory or time no weights in the file would bound,
    and for numbers that give none."""
    for name, value in vars(config).items():
        if isinstance(value, ModelConfig):
            _check_sizes(value)
        if name.endswith("layers") and value > MOST_LAYERS:
            raise BadArgumentError(f"{name} must be at most {MOST_LAYERS:,}; got {value:,}.")
        if name.endswith("eps") and not 0 <= value < inf:
            raise BadArgumentError(f"{name} must be at least 0; got {value}.")
        if name.endswith("theta") and value is not None and not 0 < value < inf:
            raise BadArgumentError(f"{name} must be above 0; got {value}.")
    positions = (
        config.max_positions if getattr(config, "positions", "") in ("sinusoidal", "spread") else 0
    )
    if positions > MOST_POSITIONS:  # their table is computed
        raise BadArgumentError(
            f"max_positions must be at most {MOST_POSITIONS:,}; got {positions:,}."
        )
