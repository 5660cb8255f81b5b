"""Train a subword tokenizer from raw text: byte-pair encoding or a unigram model.

Sennrich, Haddow and Birch 2016 (BPE); Kudo 2018 (unigram); Kudo and Richardson 2018 (`▁`).
"""

from __future__ import annotations

import heapq
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from operator import itemgetter
from typing import Any, Literal, TypeVar

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from regard.errors import BadArgumentError, unknown
from regard.text.layouts import surround
from regard.text.pair import TokenizerPair
from regard.text.tokenizer import EOS, PAD, UNK, WORD_START, Tokenizer

Algorithm = Literal["bpe", "unigram"]
Item = TypeVar("Item")

MOST_SUBWORDS = 2**20  # the largest published vocabularies have 900,000
MOST_CHARACTERS = 2**26  # that a vocabulary is learned from

_SPECIAL = [PAD, EOS, UNK]
CLS, MASK = "<s>", "<mask>"  # of an encoder, whose texts end in EOS as those of RoBERTa do
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
_ASCII = [chr(code) for code in range(0x21, 0x7F)]

# Pieces never cross these: a run of one punctuation mark or symbol, other white space, a single
# digit; each takes the space before it along. An apostrophe between letters stays in its word
# (don't), and combining marks (Unicode category M) are in no class, so that no vowel sign, nukta
# or virama is parted from its letter.
_BOUNDARIES = (
    WORD_START
    + r"?(?:(?!(?<=\p{L})['’](?=\p{L}))([\p{P}\p{S}\s&&[^"
    + WORD_START
    + r"]])\1*|\p{N})"
)

_QUOTES = [
    normalizers.Replace(Regex("[“”„‟«»〝〞〟]"), '"'),
    normalizers.Replace(Regex("[‘’‚‛‹›]"), "'"),
]

# Running words below which a size is enough; about what the field uses for corpora of that size.
_SIZES = [(50_000, 2_000), (500_000, 4_000), (5_000_000, 8_000), (50_000_000, 16_000)]
_LARGEST = 32_000
_WORDS_PER_PIECE = 20  # a piece must be met this often on average to be learned
_SMALLEST = 512


def train_tokenizer(
    texts: Iterable[str],
    *,
    vocab_size: int | None = None,
    algorithm: Algorithm = "bpe",
    max_lines: int = 1_000_000,
    seed: int = 0,
    encoder: bool = False,
    fold_quotes: bool = False,
) -> Tokenizer:
    """Train a tokenizer on lines of text.

    With `encoder`, it has the special tokens "cls", "sep" and "mask" too, and puts the first two
    around a text, or two texts, for an encoder's heads. With `fold_quotes`, it reads quotation
    marks of any shape as " and '.

    `vocab_size` is rounded to a multiple of 8 and is an upper limit: fewer pieces come out where
    the text holds no more; None chooses it from the amount of text (`suggest_vocab_size`). Of
    more than `max_lines` texts, or MOST_CHARACTERS, so many are drawn evenly with `seed`, so memory
    stays bounded.
    Characters met only once, and any other never met, are spelled in UTF-8 bytes.

    Raises BadArgumentError for no text, and for a `vocab_size` that cannot hold the alphabet.

    >>> tokenizer = train_tokenizer(["the old man sees the red house"] * 20, vocab_size=400)
    >>> tokenizer.tokens(tokenizer.encode("the red house"))
    ['▁the', '▁', 'red', '▁', 'ho', 'use']
    """
    lines = [line for line in sample(texts, most=max_lines, seed=seed) if line.strip()]
    if not lines:
        raise BadArgumentError(
            "training a tokenizer needs text; got only empty lines: check the file"
        )
    backend = _untrained(algorithm)
    if fold_quotes:
        backend.normalizer = normalizers.Sequence([normalizers.NFC(), *_QUOTES])
    characters = _count_characters(map(backend.normalizer.normalize_str, lines))
    alphabet = _alphabet(characters)
    special = [*_SPECIAL, CLS, MASK] if encoder else _SPECIAL
    fixed = len(special) + len(_BYTES) + len(alphabet)
    if vocab_size is None:
        words = sum(len(line.split()) for line in lines)
        running = max(words, characters.total() // 6)  # scripts without spaces: by their length
        vocab_size = max(suggest_vocab_size(running), _multiple_of_8(fixed * 1.25))
    if _multiple_of_8(vocab_size) < fixed:
        raise BadArgumentError(
            f"vocab_size must be at least {_multiple_of_8(fixed + 7)} for this text (256 bytes, "
            f"{len(special)} special tokens, {len(alphabet)} characters); got {vocab_size}"
        )
    check_most_subwords(vocab_size)
    vocab_size = _multiple_of_8(vocab_size)
    backend.train_from_iterator(
        lines, _trainer(algorithm, vocab_size - len(_BYTES), alphabet, special), length=len(lines)
    )
    complete = _with_bytes(backend, vocab_size, alphabet, special)
    if not encoder:
        surround(complete, f"$A {EOS}", f"$A $B {EOS}")
        return Tokenizer(complete)
    surround(complete, f"{CLS} $A {EOS}", f"{CLS} $A {EOS} $B:1 {EOS}:1")
    return Tokenizer(complete, others={"cls": CLS, "sep": EOS, "mask": MASK})


def check_most_subwords(number: int, name: str = "vocab_size") -> None:
    """Raise BadArgumentError for more subwords than any text needs.

    The library allocates memory for all of them at once, and aborts the process if it cannot.
    """
    if number > MOST_SUBWORDS:
        raise BadArgumentError(f"{name} must be at most {MOST_SUBWORDS:,}; got {number:,}.")


def train_pair(
    pairs: Iterable[tuple[str, str]],
    *,
    joint: bool = True,
    vocab_size: int | None = None,
    algorithm: Algorithm = "bpe",
    max_lines: int = 1_000_000,
    seed: int = 0,
    fold_quotes: bool = False,
) -> TokenizerPair:
    """Train one tokenizer on both sides of sentence pairs, or (`joint=False`) one for each.

    `vocab_size` is that of each tokenizer; see `train_tokenizer` for the rest.

    >>> tokenizers = train_pair([("the man", "der Mann")] * 20, joint=False, vocab_size=400)
    >>> tokenizers.target.decode(tokenizers.target.encode("der Mann"))
    'der Mann'
    """
    drawn = sample(
        pairs, most=max_lines // 2, seed=seed, size=lambda pair: len(pair[0]) + len(pair[1])
    )
    sources, targets = [source for source, _ in drawn], [target for _, target in drawn]

    def train(texts: Iterable[str]) -> Tokenizer:
        return train_tokenizer(
            texts,
            vocab_size=vocab_size,
            algorithm=algorithm,
            max_lines=max_lines,
            seed=seed,
            fold_quotes=fold_quotes,
        )

    if joint:
        tokenizer = train(chain(sources, targets))
        return TokenizerPair(tokenizer, tokenizer)
    return TokenizerPair(train(sources), train(targets))


def suggest_vocab_size(words: int) -> int:
    """Return a vocabulary size for so many running words (both sides together where they share it).

    8,000 for the 0.7 million words of Multi30k and the 2.5 million of Tatoeba; a twentieth of
    the words where data is short, and never under 512.

    >>> suggest_vocab_size(40_000)
    2000
    """
    size = next((size for limit, size in _SIZES if words < limit), _LARGEST)
    return _multiple_of_8(max(_SMALLEST, min(size, words // _WORDS_PER_PIECE)))


def _multiple_of_8(size: float) -> int:
    return int(size) // 8 * 8


def sample(
    items: Iterable[Item],
    *,
    most: int | None = None,
    characters: int | None = None,
    seed: int,
    size: Callable[[Item], int] = len,  # type: ignore[assignment]
) -> list[Item]:
    """Items, every one equally likely to be among them, in their order and in one pass; all, if
    there are at most `most` of at most `characters` in all.

    Args:
        characters: MOST_CHARACTERS if not given.
        size: characters of an item.
    """
    draw = random.Random(seed)
    room = MOST_CHARACTERS if characters is None else characters
    heap: list[tuple[float, int, Item]] = []  # a heap: the first to go is the first
    total = 0
    for number, item in enumerate(items):
        heapq.heappush(heap, (draw.random(), number, item))
        total += size(item)
        while (total > room and len(heap) > 1) or (most is not None and len(heap) > most):
            total -= size(heapq.heappop(heap)[2])
    return [item for _, _, item in sorted(heap, key=itemgetter(1))]


def _count_characters(lines: Iterable[str]) -> Counter[str]:
    characters: Counter[str] = Counter()
    for line in lines:
        characters.update(line)
    del characters[" "]
    return characters


def _alphabet(characters: Counter[str]) -> list[str]:
    """Return the characters that get a piece of their own, the most frequent first."""
    repeated = {character for character, count in characters.items() if count > 1}
    others = (repeated | {*_ASCII}) - {WORD_START}
    return [WORD_START, *sorted(others, key=lambda c: (-characters[c], c))]


def _untrained(algorithm: Algorithm) -> tokenizers.Tokenizer:
    if algorithm == "bpe":
        backend = tokenizers.Tokenizer(models.BPE(unk_token=UNK, byte_fallback=True))
    elif algorithm == "unigram":
        backend = tokenizers.Tokenizer(models.Unigram())
    else:
        raise unknown("algorithm", algorithm, ("bpe", "unigram"))
    backend.normalizer = normalizers.NFC()
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=WORD_START, prepend_scheme="always", split=True),
            pre_tokenizers.Split(Regex(_BOUNDARIES), behavior="isolated"),
        ]
    )
    backend.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace(WORD_START, prepend_scheme="always")]
    )
    return backend


def _trainer(
    algorithm: Algorithm, size: int, alphabet: list[str], special: list[str]
) -> trainers.Trainer:
    shared: dict[str, Any] = {
        "vocab_size": size,
        "special_tokens": special,
        "initial_alphabet": alphabet,
        "show_progress": False,
    }
    if algorithm == "bpe":
        return trainers.BpeTrainer(limit_alphabet=len(alphabet), min_frequency=2, **shared)
    return trainers.UnigramTrainer(unk_token=UNK, **shared)


def _with_bytes(
    backend: tokenizers.Tokenizer, vocab_size: int, alphabet: list[str], special: list[str]
) -> tokenizers.Tokenizer:
    """Give a trained tokenizer its 256 byte pieces and an exact multiple of 8 pieces.

    The trainers know bytes only as special tokens, which would be read out of a user's "<0x41>"
    and dropped when decoding; so the pieces enter the model's own table, behind the specials.
    """
    content = json.loads(backend.to_str())
    model = content["model"]
    if model["type"] == "BPE":
        pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
        pieces_left = _trimmed(pieces[len(special) :], vocab_size, alphabet, len(special))
        model["vocab"] = {piece: id_ for id_, piece in enumerate([*special, *_BYTES, *pieces_left])}
        model["merges"] = [pair for pair in model["merges"] if "".join(pair) in model["vocab"]]
    else:
        scores = dict(model["vocab"])
        ordered = sorted(scores.keys() - {*special}, key=lambda piece: (-scores[piece], piece))
        seen_once = {p for p in ordered if len(p) == 1} - {*alphabet}
        pieces = [p for p in ordered if p not in seen_once]
        pieces_left = _trimmed(pieces, vocab_size, alphabet, len(special))
        lowest = min(scores.values()) - 10  # so that no text is ever read as the name of a byte
        model["vocab"] = [
            *([piece, 0.0] for piece in special),
            *([piece, lowest] for piece in _BYTES),
            *([piece, scores[piece]] for piece in pieces_left),
        ]
        model["unk_id"], model["byte_fallback"] = _SPECIAL.index(UNK), True
    return tokenizers.Tokenizer.from_str(json.dumps(content))


def _trimmed(pieces: list[str], vocab_size: int, alphabet: list[str], special: int) -> list[str]:
    """Leave out the last (least useful) pieces beyond the size and the last multiple of 8."""
    fixed = special + len(_BYTES)
    size = _multiple_of_8(min(vocab_size, fixed + len(pieces))) - fixed
    letters = {*alphabet}
    by_use = [*alphabet, *(piece for piece in pieces if piece not in letters)]
    chosen = {*by_use[:size]}
    return [piece for piece in pieces if piece in chosen]
