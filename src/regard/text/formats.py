"""The tokenizer files that model folders hold: which there are, and a tokenizer from each kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import models

from regard.errors import NotFoundError, RegardError, refusing
from regard.files import check_content
from regard.json_files import JsonFiles
from regard.text.added_tokens import add_tokens, stated_tokens
from regard.text.layouts import (
    BERT,
    GPT2,
    SENTENCEPIECE,
    byte_level_backend,
    marian_backend,
    put_nllbs_language_first,
    refusing_library,
    sentencepiece_backend,
    wordpiece_backend,
)

SENTENCEPIECE_FILES = ("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model")
_FILES = (
    *("tokenizer.json", "chat_template.jinja", "vocab.txt", "vocab.json", "merges.txt"),
    *("source.spm", "target.spm", *SENTENCEPIECE_FILES),
)
NAMES = ("pad", "eos", "unk", "bos", "cls", "sep", "mask")  # tokenizer_config.json adds _token


@dataclass(frozen=True)
class TokenizerFiles:
    """Contents of a folder's tokenizer files."""

    backend: tokenizers.Tokenizer
    special: dict[str, str] = field(default_factory=dict)  # "pad" → "<pad>"; see NAMES
    settings: dict[str, Any] = field(default_factory=dict)  # tokenizer_config.json, chat_template


def open_files(
    path: Path, *, side: str = "source", files: JsonFiles | None = None
) -> TokenizerFiles:
    """Return the tokenizer in a folder, from whichever files hold it, or of a tokenizer.json.

    Args:
        side: "source" or "target", of a folder with one for each (Marian's).
        files: the folder's JSON, if some of it has been read already.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    files = files or JsonFiles(file.parent)
    try:
        with refusing(f"the tokenizer in {file.parent} is malformed"):
            return _open(path, file, side, files)
    except RegardError:
        for name in _FILES:
            check_content(file.parent / name)
        raise


def _open(path: Path, file: Path, side: str, files: JsonFiles) -> TokenizerFiles:
    folder = file.parent
    for name in _FILES:
        if name.endswith((".txt", ".jinja")):  # any text is one of those
            check_content(folder / name)
    settings = dict(files.get("tokenizer_config.json", {}))
    if (folder / "chat_template.jinja").is_file():  # comes before the one in the settings
        with refusing(f"{folder / 'chat_template.jinja'} is not UTF-8"):
            template = (folder / "chat_template.jinja").read_text(encoding="utf-8")
        settings["chat_template"] = template
    usual: dict[str, str] = {}
    if file.is_file():
        backend = _read_tokenizer_json(file)
        settings = _of_training(backend) | settings
        if _kind(files, settings) == "nllb":
            put_nllbs_language_first(backend, settings)
    elif not path.is_dir():
        raise NotFoundError(
            f"expected a tokenizer at {path}, which does not exist: "
            "give a tokenizer.json or a model folder that holds one"
        )
    else:
        backend, usual = _build(folder, _kind(files, settings), settings, side)
    add_tokens(backend, files, settings)
    return TokenizerFiles(backend, _special(files, settings, backend, usual), settings)


def _read_tokenizer_json(file: Path) -> tokenizers.Tokenizer:
    problem = f"expected {file} to be a tokenizer.json of the tokenizers library, but it cannot"
    with refusing_library(f"{problem} be read", "copy it or train it again"):
        return tokenizers.Tokenizer.from_file(str(file))


def _of_training(backend: tokenizers.Tokenizer) -> dict[str, Any]:
    """Return the settings by what a training left in a tokenizer.json: the side on which texts were
    cut. Merges that it dropped by chance are dropped no longer."""
    if isinstance(backend.model, models.BPE):
        backend.model.dropout = None
    cut = backend.truncation
    return {} if cut is None else {"truncation_side": cut["direction"]}


def _build(
    folder: Path, kind: str, settings: Mapping[str, Any], side: str
) -> tuple[tokenizers.Tokenizer, dict[str, str]]:
    """Return the tokenizer, and what its special tokens are called unless the folder says
    otherwise."""
    if (folder / f"{side}.spm").is_file():
        separate = folder / "target_vocab.json"
        vocab = separate if side == "target" and separate.is_file() else folder / "vocab.json"
        return marian_backend(folder / f"{side}.spm", vocab), SENTENCEPIECE
    for name in SENTENCEPIECE_FILES:
        if (folder / name).is_file():
            return sentencepiece_backend(folder / name, kind, settings)
    if (folder / "vocab.txt").is_file():
        return wordpiece_backend(folder / "vocab.txt", settings), BERT
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return byte_level_backend(folder, kind, settings)
    raise NotFoundError(
        f"expected a tokenizer at {folder / 'tokenizer.json'}, which does not exist (nor does"
        f" vocab.txt, vocab.json with merges.txt, or {', '.join(SENTENCEPIECE_FILES)}): "
        "give a tokenizer.json or a model folder that holds one"
    )


def _special(
    files: JsonFiles,
    settings: Mapping[str, Any],
    backend: tokenizers.Tokenizer,
    usual: Mapping[str, str],
) -> dict[str, str]:
    """Return the names of the special tokens in the folder's files; else the usual ones it has."""
    stated = stated_tokens(files, settings)
    lone = not stated and not usual  # a tokenizer.json and nothing else
    special = {
        name: token
        for names in ((SENTENCEPIECE, BERT, GPT2)[::-1] if lone else (usual,))
        for name, token in names.items()
        if backend.token_to_id(token) is not None
    }
    for name in NAMES:
        token = stated.get(f"{name}_token", ...)
        if isinstance(token, dict):  # older files store the token with its stripping rules
            token = token.get("content")
        if token is None:
            special.pop(name, None)
        elif token is not ...:
            special[name] = str(token)
    return special


def _kind(files: JsonFiles, settings: Mapping[str, Any]) -> str:
    """Return the family: "bert", "t5", "mbart50", …, by the tokenizer's class, else by the
    model's."""
    name = str(settings.get("tokenizer_class") or "").removesuffix("Fast")
    if name in ("", "PreTrainedTokenizer", "TokenizersBackend"):
        name = str(files.get("config.json", {}).get("model_type") or "")
    return name.removesuffix("Tokenizer").lower().replace("-", "").replace("_", "")
