"""Tokenizers of running text, whose ids spell it exactly: characters, bytes or subwords.

Subwords are those of GPT-2, byte-pair encoding over bytes (Radford et al. 2019, section 2.2).
"""

from collections import Counter
from collections.abc import Iterable

import tokenizers
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers

from regard.errors import BadArgumentError, unknown
from regard.text.tokenizer import UNK, Tokenizer
from regard.text.train import check_most_subwords, sample, suggest_vocab_size

KINDS = ("characters", "bytes", "subwords")
END = "<|endoftext|>"  # between documents: the end of one and the beginning of the next
_FIXED = 257  # bytes and END


def train_continuous(
    texts: Iterable[str], *, kind: str = "subwords", vocab_size: int | None = None
) -> Tokenizer:
    """Return a tokenizer of running text; "eos" and "bos" are both END, and white space is kept.

    Of more than MOST_CHARACTERS (`regard.text.train`), texts are drawn evenly to learn subwords.

    Args:
        kind: "characters": a token for each character of the texts, and one for any other;
            "bytes": the 256 bytes of UTF-8; "subwords": bytes, and pairs that are frequent.
        vocab_size: most tokens, of subwords only; None: from the amount of text.
    """
    if kind not in KINDS:
        raise unknown("tokenizer", kind, KINDS)
    if vocab_size is not None and kind != "subwords":
        raise BadArgumentError(
            f"vocab_size is for subwords; the tokenizer is {kind}, whose vocabulary the text"
            " decides. Leave it out."
        )
    if kind == "characters":
        backend = _characters(texts)
        return Tokenizer(backend, pad=None, eos=END, unk=UNK, others={"bos": END})
    backend = _bytes() if kind == "bytes" else _subwords(sample(texts, seed=0), vocab_size)
    backend.decoder = decoders.ByteLevel()
    return Tokenizer(backend, pad=None, eos=END, unk=None, others={"bos": END})


def _characters(texts: Iterable[str]) -> tokenizers.Tokenizer:
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(text)
    if not counted:
        raise BadArgumentError("a tokenizer needs text; got none. Check the file.")
    vocab = {token: id_ for id_, token in enumerate([END, UNK, *sorted(counted)])}
    backend = tokenizers.Tokenizer(models.WordLevel(vocab, unk_token=UNK))
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
    backend.decoder = decoders.Fuse()
    backend.add_special_tokens([END, UNK])
    return backend


def _bytes() -> tokenizers.Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: id_ for id_, token in enumerate([END, *alphabet])}
    backend = tokenizers.Tokenizer(models.BPE(vocab, []))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.add_special_tokens([END])
    return backend


def _subwords(texts: list[str], vocab_size: int | None) -> tokenizers.Tokenizer:
    if not any(text.strip() for text in texts):
        raise BadArgumentError("a tokenizer needs text; got none. Check the file.")
    if vocab_size is None:
        vocab_size = suggest_vocab_size(sum(len(text.split()) for text in texts))
    check_most_subwords(vocab_size)
    if vocab_size < _FIXED:
        raise BadArgumentError(
            f"vocab_size must be at least {_FIXED}, the bytes and the end of a document; got"
            f" {vocab_size}."
        )
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=2,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return backend
