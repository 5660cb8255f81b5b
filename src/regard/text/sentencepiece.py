"""SentencePiece's .model and .spm files: read, and made into a tokenizer of the same pieces.

Kudo and Richardson 2018. The file is a protocol buffer (sentencepiece_model.proto), of which the
few fields that encoding needs are read here, in 40 lines. A generated reader needs protobuf, and
the one in transformers is private; neither is a dependency of regard.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from regard.errors import DamagedFileError, UnsupportedError

SPACE = "▁"
_NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4  # kinds of piece; 6 is a byte
UNIGRAM, BPE, _WORD, _CHAR = 1, 2, 3, 4

Scored = tuple[str, float]  # a piece and its log-probability (unigram) or its rank (BPE)


@dataclass(frozen=True)
class SentencePiece:
    """Contents of a SentencePiece file."""

    pieces: list[Scored]
    kinds: list[int]  # of each piece
    algorithm: int
    unk_id: int
    byte_fallback: bool  # spells unknown characters in bytes
    charsmap: bytes  # compiled normalization, such as NFKC
    dummy_prefix: bool  # a space before the text
    tidy_spaces: bool  # none at the ends, single ones between
    space_behind: bool = False  # a word ends with its space


def read_sentencepiece(file: Path) -> SentencePiece:
    """Read a .model or .spm file.

    Raises:
        DamagedFileError: another or a damaged file.
        UnsupportedError: a model of whole words, or whose words end with their space.
    """
    try:
        model = _parse(file.read_bytes())
    except (LookupError, ValueError, TypeError, struct.error, RecursionError) as error:
        raise DamagedFileError(
            f"expected {file} to be a SentencePiece model, but it is another or a damaged file"
            f" ({error}): copy it again"
        ) from error
    if model.algorithm == _WORD or model.space_behind:
        kind = "the kind word" if model.algorithm == _WORD else "treat_whitespace_as_suffix"
        raise UnsupportedError(
            f"{file} is a SentencePiece model of {kind}, which is not implemented: train one of the"
            " kind unigram, bpe or char, with the space before each word."
        )
    return model


def make_backend(
    model: SentencePiece,
    vocab: Sequence[Scored] | None = None,
    *,
    unk_id: int | None = None,
    as_added: bool = False,
) -> tokenizers.Tokenizer:
    """Return the tokenizer that gives SentencePiece's own pieces, with ids by the order of `vocab`.

    Args:
        vocab: of a family that orders the pieces in its own way; None: as in the file.
        as_added: a symbol of the user's is an added token, which a text is first divided by, as
            in llama.cpp; otherwise it is a piece that stays whole.
    """
    vocab = model.pieces if vocab is None else vocab
    unk_id = model.unk_id if unk_id is None else unk_id
    names = {piece for piece, _ in vocab}
    symbols = sorted(_of_kind(model, USER_DEFINED) & names, key=len, reverse=True)
    if model.algorithm == UNIGRAM:
        backend = tokenizers.Tokenizer(
            models.Unigram(
                _favored(model, vocab, symbols), unk_id=unk_id, byte_fallback=model.byte_fallback
            )
        )
    else:
        backend = tokenizers.Tokenizer(
            models.BPE(
                vocab={piece: id_ for id_, (piece, _) in enumerate(vocab)},
                merges=[] if model.algorithm == _CHAR else _merges(model, names),
                unk_token=vocab[unk_id][0],
                fuse_unk=True,
                byte_fallback=model.byte_fallback,
                ignore_merges=bool(symbols) and not as_added,  # a symbol is a word of its own
            )
        )
        if symbols and not as_added:
            backend.pre_tokenizer = pre_tokenizers.Split(
                Regex("|".join(map(re.escape, symbols))), behavior="isolated"
            )
    # A symbol of the user's in the middle of a text has no space put behind it; of a text that
    # begins with a space, such a model (there are few) loses the one that is put before it.
    divided = as_added and bool(symbols) and not model.tidy_spaces
    backend.normalizer = _normalizer(model, prefix=model.dummy_prefix and not divided)
    if divided:
        scheme = "first" if model.dummy_prefix else "never"
        backend.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme=scheme, split=False)
    backend.decoder = _decoder(model)
    added = [
        (AddedToken(piece, normalized=False), kind)
        for (piece, _), kind in zip(model.pieces, model.kinds, strict=True)
        if piece in names
    ]
    if as_added:
        backend.add_tokens([token for token, kind in added if kind == USER_DEFINED])
    # All at once: each call orders all that there are.
    backend.add_special_tokens([token for token, kind in added if kind in (UNKNOWN, CONTROL)])
    return backend


def _of_kind(model: SentencePiece, kind: int) -> set[str]:
    return {piece for (piece, _), its in zip(model.pieces, model.kinds, strict=True) if its == kind}


def _favored(model: SentencePiece, vocab: Sequence[Scored], symbols: list[str]) -> list[Scored]:
    """Return the pieces with SentencePiece's score of a symbol: as good as letters that are all the
    best piece, almost."""
    scored = zip(model.pieces, model.kinds, strict=True)
    best = max((score for (_, score), kind in scored if kind == _NORMAL), default=0.0)
    scores = {symbol: len(symbol) * best - 0.1 for symbol in symbols}
    return [(piece, scores.get(piece, score)) for piece, score in vocab]


def _merges(model: SentencePiece, names: Collection[str]) -> list[tuple[str, str]]:
    """Return the merges of byte-pair encoding, which the file gives only as the rank of each
    result.

    Args:
        names: pieces of the vocabulary.
    """
    rank = {
        piece: score
        for (piece, score), kind in zip(model.pieces, model.kinds, strict=True)
        if kind not in (UNKNOWN, CONTROL) and piece in names
    }
    merges = [
        (score, rank[piece[:cut]], rank[piece[cut:]], piece[:cut], piece[cut:])
        for piece, score in rank.items()
        for cut in range(1, len(piece))
        if piece[:cut] in rank and piece[cut:] in rank
    ]
    merges.sort(key=lambda merge: (-merge[0], -merge[1], -merge[2]))
    return [(left, right) for *_, left, right in merges]


def _normalizer(model: SentencePiece, *, prefix: bool) -> normalizers.Normalizer:
    steps: list[normalizers.Normalizer] = []
    if model.charsmap:
        steps.append(normalizers.Precompiled(model.charsmap))
    if model.tidy_spaces:
        steps.append(normalizers.Replace(Regex(r"\A +| +\z| +(?= )"), ""))
    if prefix:
        steps.append(normalizers.Prepend(SPACE))
    steps.append(normalizers.Replace(" ", SPACE))
    if model.tidy_spaces:  # and of "▁" that the text has itself
        steps.append(normalizers.Replace(Regex(rf"{SPACE}+\z"), ""))
    return normalizers.Sequence(steps)


def _decoder(model: SentencePiece) -> decoders.Decoder:
    steps: list[decoders.Decoder] = [decoders.Replace(SPACE, " ")]
    if model.byte_fallback:
        steps.append(decoders.ByteFallback())
    steps.append(decoders.Fuse())
    if model.dummy_prefix:
        steps.append(decoders.Strip(" ", 1, 0))
    return decoders.Sequence(steps)


def _parse(data: bytes) -> SentencePiece:
    pieces: list[Scored] = []
    kinds: list[int] = []
    trainer: dict[int, int | bytes] = {}
    normalizer: dict[int, int | bytes] = {}
    for number, value in _fields(data):
        if number == 1:
            fields = dict(_fields(_bytes(value)))
            (score,) = struct.unpack("<f", _bytes(fields.get(2, bytes(4))))
            pieces.append((_bytes(fields[1]).decode("utf-8"), score))
            kinds.append(int(fields.get(3, 1)))
        elif number == 2:
            trainer = dict(_fields(_bytes(value)))
        elif number == 3:
            normalizer = dict(_fields(_bytes(value)))
    algorithm = int(trainer.get(3, UNIGRAM))
    if not pieces or algorithm not in (UNIGRAM, BPE, _WORD, _CHAR):
        raise ValueError("no pieces in it")
    return SentencePiece(
        pieces,
        kinds,
        algorithm,
        unk_id=kinds.index(UNKNOWN),
        byte_fallback=bool(trainer.get(35, 0)),
        charsmap=_bytes(normalizer.get(2, b"")),
        dummy_prefix=bool(normalizer.get(3, 1)),
        tidy_spaces=bool(normalizer.get(4, 1)),
        space_behind=bool(trainer.get(24, 0)),
    )


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the numbered fields of a protocol buffer's message; a nested message comes as bytes."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = _varint(data, place)
            yield number, value
            continue
        if kind == 2:
            length, place = _varint(data, place)
        else:
            length = {1: 8, 5: 4}.get(kind, -1)
        if not 0 <= length <= len(data) - place or number == 0:
            raise ValueError(f"no field of a protocol buffer at byte {place}")
        yield number, data[place : place + length]
        place += length


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
        if shift > 63:
            raise ValueError(f"a number without end at byte {place}")


def _bytes(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number where text was expected")
    return value
