"""The parts of a tokenizer that the page reads (web/src/local/text)."""

import json
from typing import Any

from regard.errors import UnsupportedError
from regard.text import Tokenizer

MODELS = {  # what the page reads of each kind
    "BPE": ("vocab", "merges", "unk_token", "byte_fallback"),
    "WordPiece": ("vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"),
    "WordLevel": ("vocab", "unk_token"),
}
UNREAD = ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "ignore_merges")
NORMALIZERS = {"NFC", "Replace", "BertNormalizer"}
SPLITTERS = {"Metaspace", "Split", "BertPreTokenizer", "ByteLevel"}
DECODERS = ("ByteFallback, Metaspace", "ByteLevel", "WordPiece", "Fuse", "")


def tokenizer_parts(name: str, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the parts of tokenizer.json that the page reads.

    Args:
        name: of the model, for messages.

    Raises:
        UnsupportedError: the page cannot read it.
    """
    contents: dict[str, Any] = json.loads(tokenizer.backend.to_str())
    model, added = contents["model"], contents["added_tokens"]
    kinds = {part: _kinds(contents[part]) for part in ("normalizer", "pre_tokenizer", "decoder")}
    unread = {
        "model": model["type"] not in MODELS,
        "normalizer": not {*kinds["normalizer"]} <= NORMALIZERS,
        "pre_tokenizer": not {*kinds["pre_tokenizer"]} <= SPLITTERS,
        "decoder": ", ".join(kinds["decoder"]) not in DECODERS,
    }
    for part, is_unread in unread.items():
        if is_unread:
            kind = ", ".join(kinds.get(part, [model["type"]]))
            raise unsupported(name, f"has a tokenizer whose {part} is {kind}")
    if model["type"] == "BPE" and any(model.get(part) for part in UNREAD):
        raise unsupported(name, "has a tokenizer whose BPE has settings of its own")
    if not all(token["special"] for token in added):
        raise unsupported(name, "has added tokens that a text may contain")
    return {
        "added_tokens": [
            {part: token[part] for part in ("id", "content", "special")} for token in added
        ],
        **{part: contents[part] for part in kinds},
        "model": {"type": model["type"]}
        | {part: model.get(part) for part in MODELS[model["type"]]},
    }


def around(name: str, tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Ids of the special tokens before and after every text.

    Args:
        name: of the model, for messages.

    Raises:
        UnsupportedError: there are others for another text.
    """
    encoding = tokenizer.inputs("a")
    places = [k for k, special in enumerate(encoding.special_tokens_mask) if not special]
    ids = list(encoding.ids)
    if not places or ids[places[0] : places[-1] + 1] != tokenizer.encode("a"):
        raise unsupported(name, "has a tokenizer whose template is of another kind")
    return ids[: places[0]], ids[places[-1] + 1 :]


def _kinds(part: dict[str, Any] | None) -> list[str]:
    """Return the types of a part's steps."""
    if part is None:
        return []
    lists = [part[name] for name in ("normalizers", "pretokenizers", "decoders") if name in part]
    return [step["type"] for step in (lists[0] if lists else [part])]


def unsupported(name: str, why: str) -> UnsupportedError:
    """Return the error for what the page lacks."""
    return UnsupportedError(
        f"{name} {why}, which the page cannot compute by itself; use `regard studio {name}`."
    )
