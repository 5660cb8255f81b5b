"""The tokens that a model folder adds to its vocabulary, in whichever of its files they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import tokenizers
from tokenizers import AddedToken

from regard.errors import DamagedFileError
from regard.json_files import JsonFiles

_RULES = ("single_word", "lstrip", "rstrip", "normalized", "special")


def stated_tokens(files: JsonFiles, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings with those of special_tokens_map.json, which comes first where the tokens
    are not in tokenizer_config.json, as in transformers."""
    stated = files.get("special_tokens_map.json", {})
    return {**stated, **settings} if "added_tokens_decoder" in settings else {**settings, **stated}


def add_tokens(
    backend: tokenizers.Tokenizer, files: JsonFiles, settings: Mapping[str, Any]
) -> None:
    """Add the tokens that tokenizer_config.json, added_tokens.json and special_tokens_map.json
    name: at their ids where these are given, else behind the vocabulary.

    Raises:
        DamagedFileError: an id at which no token can be added.
    """
    stated = stated_tokens(files, settings)
    special = [token for token in _named(stated) if token.content]
    names = {token.content for token in special}
    file, added = "tokenizer_config.json", settings.get("added_tokens_decoder")
    ids = {
        int(id_): _token(entry, entry["content"] in names) for id_, entry in (added or {}).items()
    }
    if added is None:
        file = "added_tokens.json"
        ids = {id_: _token(text, text in names) for text, id_ in files.get(file, {}).items()}
    present = set(backend.get_vocab())
    backend.add_tokens([token for _, token in sorted(ids.items())])
    for id_, token in ids.items():
        if token.content not in present and backend.token_to_id(token.content) != id_:
            raise DamagedFileError(
                f"{file} gives {token.content!r} the id {id_}, but in the vocabulary it is"
                f" {backend.token_to_id(token.content)}: copy the tokenizer's files again"
            )
    contents = {token.content for token in backend.get_added_tokens_decoder().values()}
    backend.add_tokens([token for token in special if token.content not in contents])


def _named(stated: Mapping[str, Any]) -> Iterator[AddedToken]:
    """Yield the special tokens: one for each role, and the further ones."""
    for key, token in stated.items():
        if key.endswith("_token") and isinstance(token, str | dict):
            yield _token(token, True)
    for key in ("additional_special_tokens", "extra_special_tokens"):
        further = stated.get(key) or ()
        for token in further.values() if isinstance(further, dict) else further:
            yield _token(token, True)


def _token(entry: str | Mapping[str, Any], is_special: bool) -> AddedToken:
    """Return a token of its text, or of an entry with its rules."""
    if isinstance(entry, str):
        return AddedToken(entry, special=is_special, normalized=not is_special)
    rules = {name: bool(entry[name]) for name in _RULES if name in entry}
    return AddedToken(
        entry["content"], **{**rules, "special": is_special or rules.get("special", False)}
    )
