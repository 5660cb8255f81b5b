"""A trained tokenizer learns to write another script: new subwords take the places of unused ones.

The new subwords consist of characters that the vocabulary does not have, or only as lone letters,
and a BPE tokenizer gets their merges behind its own. So a text in the old script is cut as before,
as long as it consists of subwords that were kept. The procedure is that of Chau, Lin and Smith
2020, "Parsing with Multilingual BERT, a Small Corpus, and a Small Treebank", who also let new
subwords take the places of unused ones.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, models, pre_tokenizers, trainers

from regard.errors import BadArgumentError, UnsupportedError
from regard.text.tokenizer import WORD_START, Tokenizer
from regard.text.train import check_most_subwords, suggest_vocab_size

# The share of spelled tokens up to which a vocabulary suits a text.
FOREIGN_SHARE = 0.01
_AT_ONCE = 8192
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


@dataclass
class Survey:
    """Cost of texts in a vocabulary."""

    used: set[int] = field(default_factory=set)  # the ids that occur
    tokens: int = 0
    spelled: int = 0  # tokens of the tokenizer's `unknown_ids`
    # What consists of characters that the vocabulary only spells: words, or parts of words.
    words: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """The share of spelled tokens."""
        return self.spelled / self.tokens if self.tokens else 0.0

    def suggested(self) -> int:
        """Return number of new subwords that the texts need; 0 where the vocabulary can write
        them."""
        return 0 if self.share < FOREIGN_SHARE else suggest_vocab_size(self.words.total())


@dataclass(frozen=True)
class Grown:
    """A tokenizer with new subwords."""

    tokenizer: Tokenizer
    new: tuple[int, ...]  # the ids of the new subwords, ascending
    replaced: int  # how many of them were another subword's


def can_grow(tokenizer: Tokenizer) -> bool:
    """Return True for a BPE or unigram tokenizer that cuts text into words first."""
    backend = tokenizer.backend
    return backend.pre_tokenizer is not None and isinstance(
        backend.model, models.BPE | models.Unigram
    )


def survey(tokenizer: Tokenizer, texts: Iterable[str]) -> Survey:
    """Read texts as the tokenizer does, which `can_grow`."""
    backend = tokenizer.backend
    result, table = Survey(), backend.get_vocab()
    spelled = tokenizer.unknown_ids
    had = {c for piece, id_ in table.items() if id_ not in spelled for c in piece} | {WORD_START}
    runs = re.compile(f"{WORD_START}?[^{re.escape(''.join(sorted(had)))}]+")
    texts = iter(texts)
    while chunk := list(islice(texts, _AT_ONCE)):
        for text, ids in zip(chunk, tokenizer.encode_batch(chunk), strict=True):
            result.used.update(ids)
            result.tokens += len(ids)
            bad = sum(id_ in spelled for id_ in ids)
            result.spelled += bad
            if bad:
                result.words.update(
                    run for word in _words(backend, text) for run in runs.findall(word)
                )
    return result


def grow(tokenizer: Tokenizer, found: Survey, count: int) -> Grown:
    """Return the tokenizer with at most `count` new subwords, learned from the words of a survey.

    They take the ids of subwords that do not occur in the surveyed texts, the last (rarest) first;
    where these are too few, further ids follow. Special tokens, bytes and single characters stay.

    Raises BadArgumentError where the vocabulary has every character of the texts.
    """
    if not found.words:
        raise BadArgumentError(
            "new_subwords are for characters that the model does not have; got"
            f" {count} for texts without such. Leave new_subwords out."
        )
    content = json.loads(tokenizer.backend.to_str())
    unigram = content["model"]["type"] == "Unigram"
    learned = _learn(found.words, count, tokenizer.backend.get_vocab(), unigram=unigram)
    (_grow_unigram if unigram else _grow_bpe)(content, learned, tokenizer, found.used)
    backend = tokenizers.Tokenizer.from_str(json.dumps(content))
    table, before = backend.get_vocab(), tokenizer.backend.get_vocab_size()
    new = tuple(sorted(table[piece] for piece, _ in learned.pieces))
    return Grown(_rebuilt(tokenizer, backend), new, sum(id_ < before for id_ in new))


def with_tokens(tokenizer: Tokenizer, names: Sequence[str]) -> Grown:
    """Return the tokenizer with tokens that are read wherever their names stand in a text."""
    backend = tokenizers.Tokenizer.from_str(tokenizer.backend.to_str())
    new = [name for name in names if backend.token_to_id(name) is None]
    backend.add_tokens([AddedToken(name, normalized=False) for name in new])
    table = backend.get_vocab(with_added_tokens=True)
    return Grown(_rebuilt(tokenizer, backend), tuple(sorted(table[name] for name in new)), 0)


@dataclass(frozen=True)
class _Learned:
    pieces: list[tuple[str, float]]  # each with its score, which only a unigram model has
    merges: list[list[str]]  # of a BPE model


def _rebuilt(tokenizer: Tokenizer, backend: tokenizers.Tokenizer) -> Tokenizer:
    special = dict(tokenizer.special)
    roles: dict[str, Any] = {name: special.pop(name, None) for name in ("pad", "eos", "unk")}
    return Tokenizer(backend, **roles, others=special, settings=tokenizer.settings)


def _words(backend: tokenizers.Tokenizer, text: str) -> Iterator[str]:
    """Parts of a text that pieces never cross, `▁` where a word starts."""
    if backend.normalizer is not None:
        text = backend.normalizer.normalize_str(text)
    return (word for word, _ in backend.pre_tokenizer.pre_tokenize_str(text))


def _learn(words: Counter[str], count: int, known: dict[str, int], *, unigram: bool) -> _Learned:
    """At most `count` subwords that write the words, beside those that are known."""
    backend = tokenizers.Tokenizer(models.Unigram() if unigram else models.BPE())
    backend.pre_tokenizer = pre_tokenizers.Split(Regex("\n"), behavior="removed")
    characters: Counter[str] = Counter()
    for word, times in words.items():
        characters.update(dict.fromkeys(word, times))
    alphabet = sorted(c for c, times in characters.items() if times > 1 and c != WORD_START)
    missing = [c for c in alphabet if c not in known]
    if len(missing) > count:
        raise BadArgumentError(
            f"new_subwords must be at least {len(missing)}, the characters that the model does not"
            f" have; got {count}."
        )
    check_most_subwords(count, "new_subwords")
    settings: dict[str, Any] = dict(
        vocab_size=count + len(alphabet) - len(missing) + 1,  # with WORD_START, which is known
        special_tokens=[],
        initial_alphabet=[*alphabet, WORD_START],
        show_progress=False,
    )
    trainer = (
        trainers.UnigramTrainer(**settings)
        if unigram
        else trainers.BpeTrainer(limit_alphabet=len(alphabet) + 1, min_frequency=2, **settings)
    )
    # In a fixed order: ties between merges are settled by it.
    lines = (f"{word}\n" * times for word, times in sorted(words.items()))
    backend.train_from_iterator(lines, trainer)
    model = json.loads(backend.to_str())["model"]
    if unigram:
        scores = dict(model["vocab"])
        merges = []
    else:
        scores = dict.fromkeys(sorted(model["vocab"], key=model["vocab"].__getitem__), 0.0)
        merges = model["merges"]
    seen_once = {c for c in characters if characters[c] == 1}
    left_out = seen_once | known.keys() | {WORD_START}
    return _Learned([piece for piece in scores.items() if piece[0] not in left_out], merges)


def _grow_bpe(content: dict[str, Any], learned: _Learned, old: Tokenizer, used: set[int]) -> None:
    model = content["model"]
    vocab: dict[str, int] = model["vocab"]
    needed = {piece for piece, id_ in vocab.items() if id_ in used} | _kept(content, vocab)
    merges = [(left, right) for left, right in model["merges"]]
    # Backwards, since what a merge makes is only then part of a later merge. A piece that another
    # merge makes too keeps the parts of both.
    while True:
        size = len(needed)
        for left, right in reversed(merges):
            if left + right in needed:
                needed |= {left, right}
        if len(needed) == size:
            break
    free = sorted((id_ for piece, id_ in vocab.items() if piece not in needed), reverse=True)
    ids = _places(free, len(learned.pieces), old.backend.get_vocab_size())
    taken = set(ids)
    left_out = {piece for piece, id_ in vocab.items() if id_ in taken}
    stays = {piece: id_ for piece, id_ in vocab.items() if piece not in left_out}
    new = {piece: id_ for (piece, _), id_ in zip(learned.pieces, ids, strict=True)}
    model["vocab"] = stays | new
    model["merges"] = [
        *([left, right] for left, right in merges if not {left, right, left + right} & left_out),
        *learned.merges,
    ]


def _grow_unigram(
    content: dict[str, Any], learned: _Learned, old: Tokenizer, used: set[int]
) -> None:
    vocab: list[list[Any]] = content["model"]["vocab"]
    stays = _kept(content, [piece for piece, _ in vocab])
    free = [id_ for id_, (piece, _) in enumerate(vocab) if id_ not in used and piece not in stays]
    free.sort(key=lambda id_: (vocab[id_][1], -id_))  # the lowest score first
    ids = _places(free, len(learned.pieces), old.backend.get_vocab_size())
    if ids[-1] >= len(vocab) < old.backend.get_vocab_size():
        raise UnsupportedError(
            f"the tokenizer has room for {len(free):,} new subwords, since its added tokens stand"
            " behind the subwords. Ask for fewer new_subwords."
        )
    for (piece, score), id_ in zip(learned.pieces, ids, strict=True):
        if id_ == len(vocab):
            vocab.append([piece, score])
        else:
            vocab[id_] = [piece, score]


def _kept(content: dict[str, Any], pieces: Iterable[str]) -> set[str]:
    """Return the pieces that stay even where they do not occur."""
    added = {token["content"] for token in content["added_tokens"]}
    return added | {p for p in pieces if len(p) == 1 or p in added or _BYTE.fullmatch(p)}


def _places(free: Sequence[int], count: int, size: int) -> list[int]:
    """`count` ids, ascending: the first ones of `free`, and further ones behind the vocabulary."""
    taken = sorted(free[:count])
    return [*taken, *range(size, size + count - len(taken))]
