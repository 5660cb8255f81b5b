"""The tokenizer that a GGUF file describes: SentencePiece's of pairs or of probabilities, pairs of
bytes, or BERT's pieces of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from regard.errors import UnsupportedError
from regard.text.layouts import BERT, LLAMA3_WORDS, QWEN2_WORDS, surround, wordpieces_backend
from regard.text.sentencepiece import (
    BPE,
    CONTROL,
    SPACE,
    UNIGRAM,
    UNKNOWN,
    USER_DEFINED,
    SentencePiece,
    make_backend,
)
from regard.text.tokenizer import Tokenizer

_PREFIX = "tokenizer.ggml."
_BYTE = 6  # a kind of token
# Ours → theirs.
_ROLES = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
_ROLES |= {"sep": "seperator", "mask": "mask"}  # codespell:ignore seperator
_SENTINELS = 100  # of T5, which its converter leaves without names


@dataclass(frozen=True)
class Division:
    """A way to divide a text before its bytes are joined.

    Attributes:
        words: the pattern of a part.
        again: the parts are divided again as GPT-2 divides a text.
        composes: letters are composed first (NFC).
        knows_words: a part that is a token is not made of others.
        begins: a text has a beginning where the file does not say.
    """

    words: str = ""
    again: bool = False
    composes: bool = False
    knows_words: bool = False
    begins: bool = False


_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _cased(endings: str, numbers: str) -> str:
    """Return a pattern that divides a word where capital letters begin."""
    start = r"[^\r\n\p{L}\p{N}]?"
    small = f"{start}{_UPPER}*{_LOWER}+{endings}"
    return f"{small}|{start}{_UPPER}+{_LOWER}*{endings}|{numbers}{_REST}"


_GPT2 = Division(again=True)
_SMOLLM = Division(r"\p{N}", again=True)
_QWEN2 = Division(QWEN2_WORDS, composes=True)
_LLAMA3 = Division(LLAMA3_WORDS, knows_words=True, begins=True)
_DBRX = Division(LLAMA3_WORDS)
_GPT4O = Division(_cased(_ENDINGS, r"\p{N}{1,3}"))
_TEKKEN = Division(_cased("", r"\p{N}"), knows_words=True, begins=True)
# tokenizer.ggml.pre: the names that llama.cpp has for each (llama-vocab.cpp).
_DIVISIONS = {
    **dict.fromkeys(("gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de"), _GPT2),
    **dict.fromkeys(("gigachat", "a.x-4.0", "mellum", "modern-bert", "exaone4", "mpt"), _GPT2),
    **dict.fromkeys(("jina-v1-en", "jina-v2-code", "roberta-bpe", "olmo", "jais"), _GPT2),
    **dict.fromkeys(("trillion", "granite-docling"), _GPT2),
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), _SMOLLM),
    **dict.fromkeys(("exaone", "minerva-7b", "mellum2"), _SMOLLM),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez"), _QWEN2),
    **dict.fromkeys(("stablelm2", "hunyuan", "solar-open"), replace(_QWEN2, composes=False)),
    **dict.fromkeys(("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1"), _LLAMA3),
    **dict.fromkeys(("pixtral", "midm-2.0", "lfm2", "jina-v5-nano"), _LLAMA3),
    **dict.fromkeys(("dbrx", "smaug-bpe"), _DBRX),
    **dict.fromkeys(("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"), _GPT4O),
    "tekken": _TEKKEN,
}
Settings = Mapping[str, Any]


def ends_of(facts: Settings, texts: Collection[str]) -> list[int] | None:
    """Return the ids that end a text: those that a GGUF file names, and the control tokens that
    read so, which end a turn of a chat.

    Args:
        facts: the metadata by their names.
    """
    named = [facts.get(f"{_PREFIX}{name}_token_id") for name in ("eos", "eot", "eom")]
    ends = {id_ for id_ in named if id_ is not None}
    tokens, kinds = (facts.get(f"{_PREFIX}{name}") or [] for name in ("tokens", "token_type"))
    pairs = zip(tokens, kinds, strict=False)
    ends |= {id_ for id_, (text, kind) in enumerate(pairs) if kind == CONTROL and text in texts}
    return sorted(ends) or None


def tokenizer_of(facts: Settings) -> Tokenizer:
    """Return the tokenizer in a GGUF file's metadata.

    Args:
        facts: the metadata by their names, such as "tokenizer.ggml.tokens".

    Raises:
        UnsupportedError: one of another kind.
        LookupError, TypeError, ValueError: malformed metadata.
    """
    settings = {name.removeprefix(_PREFIX): fact for name, fact in facts.items()}
    kind = settings.get("model", "none")
    if kind not in (*_BACKENDS, "bert"):
        raise UnsupportedError(
            f"{_PREFIX}model must be {', '.join(_BACKENDS)} or bert; the file says {kind!r}."
            " Convert the model's own folder, or open that."
        )
    tokens: list[str] = settings["tokens"]
    kinds: list[int] = settings.get("token_type") or [1] * len(tokens)
    if len(kinds) != len(tokens):
        raise ValueError(f"{len(tokens)} tokens, and kinds of {len(kinds)}")
    if kind == "bert":
        return _wordpieces(tokens, kinds)
    if facts.get("general.architecture") == "t5":
        tokens, kinds = _with_sentinels(tokens, kinds)
    backend = _BACKENDS[kind](settings, tokens, kinds)
    special = {
        role: tokens[settings[f"{name}_token_id"]]
        for role, name in _ROLES.items()
        if f"{name}_token_id" in settings
    }
    division = _DIVISIONS.get(str(settings.get("pre")), _GPT2)
    begins = kind == "llama" or (kind == "gpt2" and division.begins)
    usual = {"bos": begins, "eos": kind == "t5"}  # where the file does not say
    start, end = (
        special[role] if role in special and settings.get(f"add_{role}_token", usual[role]) else ""
        for role in ("bos", "eos")
    )
    if start or end:
        text = (start, "$A", end)
        surround(
            backend, *(" ".join(filter(None, parts)) for parts in (text, (*text, start, "$B", end)))
        )
    template = facts.get("tokenizer.chat_template")
    return Tokenizer(
        backend,
        **{role: special.pop(role, None) for role in ("pad", "eos", "unk")},
        others=special,
        settings={} if template is None else {"chat_template": template},
    )


def _sentencepiece(
    settings: Settings, tokens: list[str], kinds: list[int], algorithm: int = BPE
) -> tokenizers.Tokenizer:
    is_bpe = algorithm == BPE
    model = SentencePiece(
        list(zip(tokens, settings["scores"], strict=True)),
        kinds,
        algorithm,
        unk_id=settings["unknown_token_id"]
        if "unknown_token_id" in settings
        else kinds.index(UNKNOWN),
        byte_fallback=is_bpe or _BYTE in kinds,
        charsmap=_bytes(settings.get("precompiled_charsmap") or []),
        dummy_prefix=settings.get("add_space_prefix", True),
        tidy_spaces=settings.get("remove_extra_whitespaces", not is_bpe),
    )
    return make_backend(model, as_added=is_bpe)


def _unigram(settings: Settings, tokens: list[str], kinds: list[int]) -> tokenizers.Tokenizer:
    return _sentencepiece(settings, tokens, kinds, UNIGRAM)


def _bytes(numbers: Collection[int]) -> bytes:
    """Return an array of bytes, which a file may have as signed numbers."""
    return bytes(number % 256 for number in numbers)


def _with_sentinels(tokens: list[str], kinds: list[int]) -> tuple[list[str], list[int]]:
    """Return T5's tokens with the names of its sentinels, the first of which is the last."""
    unnamed = [id_ for id_, token in enumerate(tokens) if re.fullmatch(r"\[PAD\d+\]", token)]
    names = {id_: f"<extra_id_{_SENTINELS - 1 - k}>" for k, id_ in enumerate(unnamed[:_SENTINELS])}
    return (
        [names.get(id_, token) for id_, token in enumerate(tokens)],
        [CONTROL if id_ in names else kind for id_, kind in enumerate(kinds)],
    )


def _wordpieces(tokens: list[str], kinds: list[int]) -> Tokenizer:
    """BERT's tokenizer: the file marks beginnings of words, not what goes on."""
    pieces = [
        token if kind == CONTROL else token[1:] if token.startswith(SPACE) else f"##{token}"
        for token, kind in zip(tokens, kinds, strict=True)
    ]
    words = (piece for piece, kind in zip(pieces, kinds, strict=True) if kind != CONTROL)
    is_cased = any(piece[:1].isupper() for piece in words)
    backend = wordpieces_backend(pieces, {"do_lower_case": not is_cased})
    special = {role: token for role, token in BERT.items() if token in pieces}
    pad, unk = (special.pop(role, None) for role in ("pad", "unk"))
    return Tokenizer(backend, pad=pad, eos=None, unk=unk, others=special)


def _byte_level(settings: Settings, tokens: list[str], kinds: list[int]) -> tokenizers.Tokenizer:
    name = settings.get("pre", "default")
    if name not in _DIVISIONS:
        raise UnsupportedError(
            f"{_PREFIX}pre must be gpt-2, smollm, qwen2, llama-bpe, gpt-4o, tekken or another name"
            f" for one of them; the file says {name!r}, a division of texts that regard does not"
            " know. Open the model's own folder."
        )
    division = _DIVISIONS[name]
    model = models.BPE(
        vocab={token: id_ for id_, token in enumerate(tokens)},
        merges=[
            (left, right) for left, right in (merge.split(" ") for merge in settings["merges"])
        ],
        ignore_merges=division.knows_words,
    )
    backend = tokenizers.Tokenizer(model)
    if division.composes:
        backend.normalizer = normalizers.NFC()
    steps: list[pre_tokenizers.PreTokenizer] = []
    if division.words:
        steps.append(pre_tokenizers.Split(Regex(division.words), behavior="isolated"))
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=division.again))
    backend.pre_tokenizer = pre_tokenizers.Sequence(steps)
    backend.decoder = decoders.ByteLevel()
    for add, those in (
        (backend.add_special_tokens, (UNKNOWN, CONTROL)),
        (backend.add_tokens, (USER_DEFINED,)),
    ):
        add(
            [
                AddedToken(token, normalized=False)
                for token, kind in zip(tokens, kinds, strict=True)
                if kind in those
            ]
        )
    return backend


# By tokenizer.ggml.model.
_BACKENDS: Mapping[str, Callable[[Settings, list[str], list[int]], tokenizers.Tokenizer]] = {
    "llama": _sentencepiece,
    "gpt2": _byte_level,
    "t5": _unigram,
}
