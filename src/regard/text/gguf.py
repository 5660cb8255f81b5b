"""The tokenizer that a GGUF file describes: pairs as SentencePiece's, or pairs of bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from regard.errors import UnsupportedError
from regard.text.layouts import LLAMA3_WORDS, QWEN2_WORDS, surround
from regard.text.sentencepiece import (
    BPE,
    CONTROL,
    UNKNOWN,
    USER_DEFINED,
    SentencePiece,
    make_backend,
)
from regard.text.tokenizer import Tokenizer

_PREFIX = "tokenizer.ggml."
_ROLES = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}  # ours → theirs
# How a text is divided before its bytes are joined.
_WORDS = {"gpt-2": "", "smollm": r"\p{N}", "qwen2": QWEN2_WORDS, "llama-bpe": LLAMA3_WORDS}
_WHOLE = ("qwen2", "llama-bpe")  # divide it alone; the others divide the parts again as GPT-2
# tokenizer.ggml.pre → one of these: the names that llama.cpp has for the same (llama-vocab.cpp).
_DIVISIONS = {
    **dict.fromkeys(("gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de"), "gpt-2"),
    **dict.fromkeys(("gigachat", "a.x-4.0", "mellum", "modern-bert", "exaone4", "mpt"), "gpt-2"),
    **dict.fromkeys(("jina-v1-en", "jina-v2-code", "roberta-bpe", "olmo", "jais"), "gpt-2"),
    **dict.fromkeys(("trillion", "granite-docling"), "gpt-2"),
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), "smollm"),
    **dict.fromkeys(("exaone", "minerva-7b", "mellum2"), "smollm"),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez"), "qwen2"),
    **dict.fromkeys(("stablelm2", "hunyuan", "solar-open"), "qwen2"),
    **dict.fromkeys(("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1"), "llama-bpe"),
    **dict.fromkeys(("pixtral", "midm-2.0", "lfm2", "jina-v5-nano"), "llama-bpe"),
    **dict.fromkeys(("dbrx", "smaug-bpe"), "llama-bpe"),
}
# Of the names of llama-bpe, those that join all words, and add no beginning by default.
_JOINED = ("dbrx", "smaug-bpe")
# Of the names of qwen2, those that do not compose letters first.
_AS_THEY_ARE = ("stablelm2", "hunyuan", "solar-open")


def ends_of(facts: Mapping[str, Any], texts: Collection[str]) -> list[int] | None:
    """Return the ids that end a text: those that a GGUF file names, and the control tokens that
    read so, which end a turn of a chat.

    Args:
        facts: the metadata by their names.
    """
    ends = {facts.get(f"{_PREFIX}{name}_token_id") for name in ("eos", "eot", "eom")}
    tokens, kinds = (facts.get(f"{_PREFIX}{name}") or [] for name in ("tokens", "token_type"))
    pairs = zip(tokens, kinds, strict=False)
    ends |= {id_ for id_, (text, kind) in enumerate(pairs) if kind == CONTROL and text in texts}
    return sorted(ends - {None}) or None


def tokenizer_of(facts: Mapping[str, Any]) -> Tokenizer:
    """Return the tokenizer in a GGUF file's metadata.

    Args:
        facts: the metadata by their names, such as "tokenizer.ggml.tokens".

    Raises:
        UnsupportedError: one of another kind.
        LookupError, TypeError, ValueError: malformed metadata.
    """
    settings = {name.removeprefix(_PREFIX): fact for name, fact in facts.items()}
    kind = settings.get("model", "none")
    if kind not in ("llama", "gpt2"):
        raise UnsupportedError(
            f"{_PREFIX}model must be llama or gpt2; the file says {kind!r}. Convert the model's own"
            " folder, or open that."
        )
    tokens: list[str] = settings["tokens"]
    kinds: list[int] = settings.get("token_type") or [1] * len(tokens)
    if len(kinds) != len(tokens):
        raise ValueError(f"{len(tokens)} tokens, and kinds of {len(kinds)}")
    backend = (_sentencepiece if kind == "llama" else _byte_level)(settings, tokens, kinds)
    special = {
        role: tokens[settings[f"{name}_token_id"]]
        for role, name in _ROLES.items()
        if f"{name}_token_id" in settings
    }
    pre = str(settings.get("pre"))
    usual = kind == "llama" or (_DIVISIONS.get(pre) == "llama-bpe" and pre not in _JOINED)
    start = (
        f"{special['bos']} " if "bos" in special and settings.get("add_bos_token", usual) else ""
    )
    end = f" {special['eos']}" if "eos" in special and settings.get("add_eos_token", False) else ""
    if start or end:
        surround(backend, f"{start}$A{end}", f"{start}$A{end} {start}$B{end}")
    template = facts.get("tokenizer.chat_template")
    return Tokenizer(
        backend,
        **{role: special.pop(role, None) for role in ("pad", "eos", "unk")},
        others=special,
        settings={} if template is None else {"chat_template": template},
    )


def _sentencepiece(
    settings: Mapping[str, Any], tokens: list[str], kinds: list[int]
) -> tokenizers.Tokenizer:
    model = SentencePiece(
        list(zip(tokens, settings["scores"], strict=True)),
        kinds,
        BPE,
        unk_id=settings["unknown_token_id"]
        if "unknown_token_id" in settings
        else kinds.index(UNKNOWN),
        byte_fallback=True,
        charsmap=b"",
        dummy_prefix=settings.get("add_space_prefix", True),
        tidy_spaces=settings.get("remove_extra_whitespaces", False),
    )
    return make_backend(model, as_added=True)


def _byte_level(
    settings: Mapping[str, Any], tokens: list[str], kinds: list[int]
) -> tokenizers.Tokenizer:
    name = settings.get("pre", "default")
    if name not in _DIVISIONS:
        raise UnsupportedError(
            f"{_PREFIX}pre must be {', '.join(_WORDS)} or another name for one of them; the file"
            f" says {name!r}, a division of texts that regard does not know. Open the model's own"
            " folder."
        )
    pre = _DIVISIONS[name]
    model = models.BPE(
        vocab={token: id_ for id_, token in enumerate(tokens)},
        merges=[
            (left, right) for left, right in (merge.split(" ") for merge in settings["merges"])
        ],
        ignore_merges=pre == "llama-bpe" and name not in _JOINED,
    )
    backend = tokenizers.Tokenizer(model)
    if pre == "qwen2" and name not in _AS_THEY_ARE:
        backend.normalizer = normalizers.NFC()
    steps: list[pre_tokenizers.PreTokenizer] = []
    if words := _WORDS[pre]:
        steps.append(pre_tokenizers.Split(Regex(words), behavior="isolated"))
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pre not in _WHOLE))
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
