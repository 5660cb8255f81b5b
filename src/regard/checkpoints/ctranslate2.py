"""A folder of CTranslate2 as a checkpoint of the families here: what Argos Translate,
LibreTranslate and faster-whisper have their models in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array
from regard.checkpoints.argos import METADATA, languages
from regard.checkpoints.checkpoint import Checkpoint, check_config
from regard.checkpoints.ctranslate2_file import ModelFile
from regard.checkpoints.ctranslate2_specs import Described, Ids, Piece
from regard.checkpoints.families import FAMILIES, TYPES
from regard.checkpoints.family import Family
from regard.checkpoints.weights import Scaled, Stored, Weights, check_finite
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError, refusing
from regard.files import sha256
from regard.json_files import JsonFiles, JsonObject, read_json
from regard.models.configs.speech import SpeechConfig
from regard.text import TokenizerPair
from regard.text.ctranslate2 import tokenizers_of

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig

# By specification: the class of its models, and the family whose keys describe what none fits.
_MODELS = {
    "TransformerSpec": ("EncoderDecoder", "regard"),
    "WhisperSpec": ("SpeechEncoderDecoder", "whisper"),
    "TransformerDecoderSpec": ("Decoder", "llama"),
    "TransformerEncoderSpec": ("Encoder", "bert"),
}
_SIDES = ("source", "target")
_MULTILINGUAL = 51865  # tokens of a Whisper model of several languages, at least


class CTranslate2Checkpoint(Checkpoint):
    """A model folder that CTranslate2's converters wrote; the weights are read when needed.

    Args:
        folder: with model.bin, config.json and the vocabulary.
        name: what to call the model in messages; the folder's name by default.

    Raises:
        DamagedFileError: a damaged file, or one that does not fit the others.
        NotFoundError: the vocabulary is missing.
        UnsupportedError: a specification, or a setting of one, that regard lacks.
    """

    def __init__(self, folder: str | os.PathLike[str], *, name: str | None = None):
        super().__init__(folder, name=name)
        settings = self.files.get("config.json", {})
        self._file = file = ModelFile(self.folder / "model.bin")
        with refusing(f"{file.file} does not describe a model, with the files beside it"):
            self._ids = Ids(settings, *(_vocabulary(self.folder, side) for side in _SIDES))
            self._described = Described(file, self._ids)
            self._config = self._described.config
            check_config(self._config)
            content = {"config.json": _settings(file.specification, self._config)}
            if isinstance(self._config, SpeechConfig):
                content |= self._of_speech(settings)
            elif package := JsonFiles(self.folder.parent).get(METADATA):
                content["generation_config.json"] = _of_argos(package)
        self.files = JsonFiles(
            self.folder,
            {
                name: JsonObject(self.folder / name, made)
                for name, made in content.items()
                if name == "config.json" or not (self.folder / name).is_file()
            },
        )

    @property
    def config(self) -> ModelConfig:
        """The configuration that model.bin describes."""
        return self._config

    @cached_property
    def family(self) -> Family:
        """The family of its settings, with the names that its weights have here: our own."""
        return replace(
            self.entry.family,
            place=lambda name, config: name,
            head={self._config.head: ()},
            aliases=lambda config: {},
            constants=lambda config, xp: {},
            complete=None,
            base="",
            renamed=(),
        )

    @cached_property
    def card(self) -> Mapping[str, Any]:
        """The card, with the languages of a package of Argos Translate."""
        pair = languages(self.folder.parent)
        return {**({"language": list(pair)} if pair else {}), **super().card}

    @cached_property
    def weights(self) -> Weights:
        """The weights by our own names, as the file has their numbers."""
        return _Weights(self._file, self._described.pieces)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of model.bin."""
        return sha256(self._file.file)

    @cached_property
    def tokenizers(self) -> TokenizerPair:
        """The tokenizers in the folder, or of its vocabulary and the SentencePiece file beside."""
        config, ids = self._config, self._ids
        sizes = config.vocab_size, getattr(config, "decoder_vocab_size", config.vocab_size)
        tokens = ids.source, ids.target
        ends = self._described.starts_from_zeros  # Marian's models, whose sources have an end
        return tokenizers_of(self.folder, self.files, tokens, ids.settings, sizes, ends=ends)

    def _of_speech(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the files that CTranslate2 leaves out of Whisper's, as OpenAI's models have
        them."""
        tokens, config = self._ids.target, self._config
        ids = {token: id_ for id_, token in enumerate(tokens)}
        generation: dict[str, Any] = {
            "suppress_tokens": settings.get("suppress_ids"),
            "begin_suppress_tokens": settings.get("suppress_ids_begin"),
            "alignment_heads": settings.get("alignment_heads"),
            "no_timestamps_token_id": ids.get("<|notimestamps|>"),
            "max_length": config.max_positions,
        }
        if len(tokens) >= _MULTILINGUAL and settings.get("lang_ids"):
            generation |= {
                "is_multilingual": True,
                "lang_to_id": {tokens[id_]: id_ for id_ in settings["lang_ids"]},
                "task_to_id": {task: ids[f"<|{task}|>"] for task in ("transcribe", "translate")},
            }
        sound = {"feature_size": config.mel_bins, "chunk_length": config.frames // 100}
        return {"generation_config.json": generation, "preprocessor_config.json": sound}


def _settings(specification: str, config: ModelConfig) -> dict[str, Any]:
    """Return the config.json that stands for a config, of the first family that has such models."""
    model, usual = _MODELS[specification]
    fitting = [entry for entry in FAMILIES if entry.model == model and entry.family.fits(config)]
    return (fitting[0] if fitting else TYPES[usual]).family.to_config(config)


def _of_argos(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with which Argos Translate decodes."""
    if package.get("target_prefix"):
        raise UnsupportedError(
            f"target_prefix of a package of Argos is not implemented; it is"
            f" {package['target_prefix']!r}. Take a package of one target."
        )
    return {"num_beams": 4, "length_penalty": 0.2}


def _vocabulary(folder: Path, side: str) -> list[str]:
    """Return the tokens of one side by their ids.

    Raises:
        NotFoundError: the folder has no vocabulary.
        DamagedFileError: a file that does not list tokens.
    """
    for stem in (f"{side}_vocabulary", "shared_vocabulary", "vocabulary"):
        if (file := folder / f"{stem}.json").is_file():
            tokens = read_json(file)
            if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
                raise DamagedFileError(f"{file} must be a list of tokens. Copy it again.")
            return tokens
        if (file := folder / f"{stem}.txt").is_file():
            with refusing(f"{file} does not list tokens"):
                return file.read_text("utf-8").removesuffix("\n").split("\n")
    raise NotFoundError(
        f"{folder} has no vocabulary: expected shared_vocabulary.json, or .txt, or one for source"
        " and target. Copy it from where model.bin came from."
    )


class _Weights(Weights):
    """The weights of a model.bin by our own names."""

    def __init__(self, file: ModelFile, pieces: Mapping[str, Piece | NDArray[Any]]):
        super().__init__([])
        self.files, self._file, self._pieces = [file.file], file, pieces
        self._opened = {file.file: file.file.stat()}
        for name, piece in pieces.items():
            dtype = "float32"
            if isinstance(piece, Piece):
                dtype = file.variables[piece.name].dtype
            self._add(name, file.file, tuple(piece.shape), dtype, partial(self._read_as, name))

    def stored(self, name: str) -> NDArray[Any] | Stored | Scaled:
        shape, dtype = self.shapes[name], self.dtypes[name]
        # Made when it is packed; tables of buckets are indexed before.
        if len(shape) == 2 and "table" not in name and dtype in ("float16", "int16"):
            numbers = partial(self._in_float32, name)
            return Stored(shape, numbers, lambda: np.empty(0, np.uint8), 0)
        return self._numbers(name)

    def _numbers(self, name: str) -> NDArray[Any] | Scaled:
        piece = self._pieces[name]
        self.check_unchanged()
        if not isinstance(piece, Piece):
            return piece
        with refusing(f"{self._file.file} is damaged at {name}"):
            numbers = piece.read(self._file)
        finite = numbers.scales if isinstance(numbers, Scaled) else numbers
        check_finite(name, finite, f" in {self._file.file}")
        return numbers

    def _in_float32(self, name: str) -> NDArray[np.float32]:
        return np.asarray(self._numbers(name)).astype(np.float32, copy=False)

    def _read_as(self, name: str, xp: ModuleType) -> Array:
        numbers = np.require(np.asarray(self._numbers(name)), requirements=["C", "A", "W"])
        if xp is np:
            return numbers
        tensor = xp.from_numpy(numbers)
        return tensor.view(xp.bfloat16) if numbers.dtype == np.uint16 else tensor
