"""SentencePiece's .model and .spm files: read, and made into a tokenizer of the same pieces.

Kudo and Richardson 2018. The file is a protocol buffer (sentencepiece_model.proto), of which the
few fields that encoding needs are read here, in 40 lines. A generated reader needs protobuf, and
the one in transformers is private; neither is a dependency of regard.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers

from regard.errors import DamagedFileError

SPACE = "▁"
UNKNOWN, CONTROL, USER_DEFINED = 2, 3, 4  # kinds of piece; 1 is a normal one, 6 a byte
_UNIGRAM, BPE = 1, 2

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


def read_sentencepiece(file: Path) -> SentencePiece:
    """Reads a .model or .spm file. Raises DamagedFileError for another or a damaged file."""
    try:
        return _parse(file.read_bytes())
    except (LookupError, ValueError, TypeError, struct.error, RecursionError) as error:
        raise DamagedFileError(
            f"expected {file} to be a SentencePiece model, but it is another or a damaged file"
            f" ({error}): copy it again"
        ) from error


def make_backend(
    model: SentencePiece, vocab: Sequence[Scored] | None = None, *, unk_id: int | None = None
) -> tokenizers.Tokenizer:
    """The tokenizer that gives SentencePiece's own pieces, with ids by the order of `vocab`.

    Args:
        vocab: of a family that orders the pieces in its own way; None: as in the file.
    """
    vocab = model.pieces if vocab is None else vocab
    unk_id = model.unk_id if unk_id is None else unk_id
    if model.algorithm == _UNIGRAM:
        backend = tokenizers.Tokenizer(
            models.Unigram(list(vocab), unk_id=unk_id, byte_fallback=model.byte_fallback)
        )
    else:
        backend = tokenizers.Tokenizer(
            models.BPE(
                vocab={piece: id_ for id_, (piece, _) in enumerate(vocab)},
                merges=_merges(model),
                unk_token=vocab[unk_id][0],
                fuse_unk=True,
                byte_fallback=model.byte_fallback,
            )
        )
    # A symbol of the user's in the middle of a text has no space put behind it; of a text that
    # begins with a space, such a model (there are few) loses the one that is put before it.
    symbols = USER_DEFINED in model.kinds and not model.tidy_spaces
    backend.normalizer = _normalizer(model, prefix=model.dummy_prefix and not symbols)
    if symbols:
        scheme = "first" if model.dummy_prefix else "never"
        backend.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme=scheme, split=False)
    backend.decoder = _decoder(model)
    names = {piece for piece, _ in vocab}
    for (piece, _), kind in zip(model.pieces, model.kinds, strict=True):
        if piece in names and kind == USER_DEFINED:
            backend.add_tokens([AddedToken(piece, normalized=False)])
        elif piece in names and kind in (UNKNOWN, CONTROL):
            backend.add_special_tokens([AddedToken(piece, normalized=False)])
    return backend


def _merges(model: SentencePiece) -> list[tuple[str, str]]:
    """The merges of byte-pair encoding, which the file gives only as the rank of each result."""
    rank = {
        piece: score
        for (piece, score), kind in zip(model.pieces, model.kinds, strict=True)
        if kind not in (UNKNOWN, CONTROL)
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
        steps += [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    if prefix:
        steps.append(normalizers.Prepend(SPACE))
    steps.append(normalizers.Replace(" ", SPACE))
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
    algorithm = int(trainer.get(3, _UNIGRAM))
    if not pieces or algorithm not in (_UNIGRAM, BPE):
        raise ValueError("no unigram or byte-pair pieces in it")
    return SentencePiece(
        pieces,
        kinds,
        algorithm,
        unk_id=kinds.index(UNKNOWN),
        byte_fallback=bool(trainer.get(35, 0)),
        charsmap=_bytes(normalizer.get(2, b"")),
        dummy_prefix=bool(normalizer.get(3, 1)),
        tidy_spaces=bool(normalizer.get(4, 1)),
    )


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The numbered fields of a protocol buffer's message; a nested message comes as bytes."""
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
