"""A user's running text: which documents stay, which are held out for dev, and their tokens."""

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import BadLine, TokenStore, refuse
from regard.data.clean import CleaningReport
from regard.data.documents import Piece, read_documents
from regard.data.lines import warn
from regard.errors import BadArgumentError, DamagedFileError
from regard.tasks.text_generation.train_options import RunningTextOptions
from regard.text import Tokenizer
from regard.training.examples import Say

MANY = 20  # documents from which whole ones are held out, not the end of each
_AT_ONCE = 64  # pieces that are encoded together


@dataclass
class Documents:
    """The documents of a file or folder that stay; each is read in pieces, as often as asked.

    Of each, 17 bytes are kept in memory: `keys`, hashes of the documents' words, which tell them
    apart; `lengths` in characters, 0 where there are no words; `kept`, whether it stays.
    """

    path: str
    column: str | None
    taken: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    strict: bool = False  # whether the first line that cannot be used is the end
    say: Say = warn
    report: CleaningReport = field(default_factory=CleaningReport)

    def __post_init__(self) -> None:
        self.keys, self.lengths = self._survey()
        held_out = np.isin(self.keys, self.taken)
        rows = np.flatnonzero((self.lengths > 0) & ~held_out)
        first = np.unique(self.keys[rows], return_index=True)[1]
        self.kept = np.zeros(len(self.keys), np.bool_)
        self.kept[rows[first]] = True
        self.report.read, self.report.kept = len(self.kept), int(self.kept.sum())
        for number in np.flatnonzero(~self.kept):
            reason = "in dev too" if held_out[number] else "duplicate"
            self.report.drop(reason if self.lengths[number] else "empty text", int(number) + 1)
        if not self.report.kept:
            raise DamagedFileError(
                f"no document is left of {self.path} ({self.report}). Check that it is the right"
                " file or folder, and that dev is not the same."
            )

    def __len__(self) -> int:
        return self.report.kept

    def pieces(self) -> Iterator[Piece]:
        """Yield the documents that stay, a piece at a time."""
        for piece in read_documents(
            self.path, column=self.column, on_bad_line=_pass_over, say=_pass_over
        ):
            if self.kept[piece.document]:
                yield piece

    def _survey(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Each document's key and length in characters, 0 where there are no words."""
        keys, lengths = array("Q"), array("q")
        blank = True
        words = hashlib.blake2b(digest_size=8)
        reading: Any = {"on_bad_line": self._skip, "say": self.say}
        for piece in read_documents(self.path, column=self.column, **reading):
            while len(keys) <= piece.document:
                if keys and blank:
                    lengths[-1] = 0
                words, blank = hashlib.blake2b(digest_size=8), True
                keys.append(0)
                lengths.append(0)
            split = piece.text.split()
            blank &= not split
            words.update(" ".join(split).encode() + b"\n")
            keys[-1] = int.from_bytes(words.digest(), "little")
            lengths[-1] += len(piece.text)
        if keys and blank:
            lengths[-1] = 0
        return np.frombuffer(keys, np.uint64), np.frombuffer(lengths, np.int64)

    def _skip(self, bad: BadLine) -> None:
        """Count a line that cannot be used; `strict`: stop at it."""
        if self.strict:
            refuse(bad)
        self.report.drop(f"lines: {bad.reason}", bad.line)


@dataclass(frozen=True)
class Split:
    """The documents to train on and those to choose the best model by.

    Of few documents the end of each is held out (of one text: its last tenth, as nanoGPT does); of
    many, whole documents, chosen by their hash, so that the same ones are held out in any order.
    """

    train_documents: Documents
    dev_documents: Documents | None
    fraction: float

    def train(self) -> Iterator[Piece]:
        return self._own("train") if self.dev_documents is None else self.train_documents.pieces()

    def dev(self) -> Iterator[Piece]:
        return self._own("dev") if self.dev_documents is None else self.dev_documents.pieces()

    @property
    def separated(self) -> bool:
        """True if there are several documents, with a separator between them."""
        return len(self.train_documents) > 1

    def _own(self, part: str) -> Iterator[Piece]:
        documents = self.train_documents
        if len(documents) >= MANY:
            held = self._held()
            for piece in documents.pieces():
                if held[piece.document] == (part == "dev"):
                    yield piece
            return
        read: dict[int, int] = {}
        for piece in documents.pieces():
            start = read.get(piece.document, 0)
            read[piece.document] = start + len(piece.text)
            end = int(documents.lengths[piece.document] * (1 - self.fraction)) - start
            end = max(0, end)
            if text := (piece.text[:end] if part == "train" else piece.text[end:]):
                yield Piece(piece.document, text)

    def _held(self) -> NDArray[np.bool_]:
        """Return True for each document that is held out: those of the lowest keys."""
        documents = self.train_documents
        staying = np.flatnonzero(documents.kept)
        count = max(1, round(self.fraction * len(staying)))
        held = np.zeros(len(documents.kept), np.bool_)
        held[staying[np.argsort(documents.keys[staying], kind="stable")[:count]]] = True
        return held


def split_documents(path: str, options: RunningTextOptions, *, say: Say) -> Split:
    """Read the documents and holds some out, unless there is a dev file; says what went where."""
    dev, fraction, column = options.dev, options.dev_fraction, options.text
    reading: Any = {"strict": options.strict, "say": say}
    dev_documents = None if dev is None else Documents(dev, column, **reading)
    if dev_documents is not None:
        reading["taken"] = dev_documents.keys[dev_documents.kept]
    documents = Documents(path, column, **reading)
    for part in (documents, dev_documents):
        if part is not None:
            say(f"{part.path}: documents: {part.report}")
    split = Split(documents, dev_documents, fraction)
    if dev_documents is None and len(documents) >= MANY:
        say(f"dev: {split._held().sum():,} of {len(documents):,} documents")
    elif dev_documents is None:
        say(f"dev: the last {fraction:.0%} of {'the text' if len(documents) == 1 else 'each'}")
    return split


def write_tokens(
    path: Path, pieces: Iterable[Piece], tokenizer: Tokenizer, *, separator: int | None
) -> tuple[TokenStore, int]:
    """Store the ids of documents as one stream, with `separator` before, between and behind them.

    Returns:
        The store, whose `tokens` are the stream, and the UTF-8 bytes that the tokens spell.
    """
    size = 0

    def rows() -> Iterator[tuple[list[int], list[int]]]:
        nonlocal size
        source = iter(pieces)
        document = -1
        while chunk := list(islice(source, _AT_ONCE)):
            encoded = tokenizer.encode_batch([piece.text for piece in chunk])
            for piece, ids in zip(chunk, encoded, strict=True):
                size += len(piece.text.encode())
                if separator is not None and piece.document != document:
                    yield [separator], []
                document = piece.document
                yield ids, []
        if separator is not None and document >= 0:
            yield [separator], []

    return TokenStore.write(path, rows(), vocab_size=tokenizer.vocab_size), size


def check_enough(count: int, block: int, what: str, advice: str) -> None:
    """Raise BadArgumentError unless there are the tokens of a block and the one behind it."""
    if count <= block:
        raise BadArgumentError(
            f"{what} must have more than {block} tokens, the length of a block; got {count:,}."
            f" {advice}"
        )


def _pass_over(what: object) -> None:
    """Say nothing: it was said when the documents were read for the first time."""
