"""A user's running text: which documents stay, which are held out for dev, and their tokens."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from regard.data import BadLine, TokenStore
from regard.data.clean import CleaningReport
from regard.data.documents import Piece, read_documents
from regard.data.pairs import refuse
from regard.errors import BadArgumentError, DamagedFileError
from regard.recipes.examples import Say
from regard.text import Tokenizer

MANY = 20  # documents from which whole ones are held out, not the end of each
_AT_ONCE = 64  # pieces that are encoded together


@dataclass
class Documents:
    """The documents of a file or folder that stay; each is read in pieces, as often as asked.

    Raises:
        BadArgumentError, DamagedFileError: nothing can be read, or no document is left.
    """

    path: str
    column: str | None
    taken: frozenset[int] = frozenset()  # keys of documents that are held out elsewhere
    report: CleaningReport = field(default_factory=CleaningReport)

    def __post_init__(self) -> None:
        keys, lengths = self._survey()
        self.report.read = len(keys)
        seen = set(self.taken)
        kept = []
        for number, (key, length) in enumerate(zip(keys, lengths, strict=True)):
            if length == 0:
                self.report.drop("empty text", number + 1)
            elif key in seen:
                self.report.drop("in dev too" if key in self.taken else "duplicate", number + 1)
            else:
                seen.add(key)
                kept.append(number)
        self.report.kept = len(kept)
        if not kept:
            raise DamagedFileError(
                f"no document is left of {self.path} ({self.report}). Check that it is the right"
                " file or folder, and that dev is not the same."
            )
        self.kept = {number: (keys[number], lengths[number]) for number in kept}

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def keys(self) -> frozenset[int]:
        """What tells documents apart: hashes of their words."""
        return frozenset(key for key, _ in self.kept.values())

    def pieces(self) -> Iterator[Piece]:
        """The documents that stay, a piece at a time."""
        for piece in read_documents(self.path, column=self.column, on_bad_line=_pass_over):
            if piece.document in self.kept:
                yield piece

    def _survey(self) -> tuple[list[int], list[int]]:
        """Each document's key and length in characters, 0 where there are no words."""
        keys: list[int] = []
        lengths: list[int] = []
        blank: list[bool] = []
        words = hashlib.blake2b(digest_size=8)
        for piece in read_documents(self.path, column=self.column, on_bad_line=self._skip):
            while len(keys) <= piece.document:
                words = hashlib.blake2b(digest_size=8)
                keys.append(0)
                lengths.append(0)
                blank.append(True)
            split = piece.text.split()
            blank[-1] &= not split
            words.update(" ".join(split).encode() + b"\n")
            keys[-1] = int.from_bytes(words.digest(), "little")
            lengths[-1] += len(piece.text)
        return keys, [0 if empty else n for n, empty in zip(lengths, blank, strict=True)]

    def _skip(self, bad: BadLine) -> None:
        """Undecodable lines are counted and left out; any other stops the reading."""
        _pass_over(bad)
        self.report.drop("lines of bad encoding", bad.line)


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
        """Whether there are several documents, with a separator between them."""
        return len(self.train_documents) > 1

    def _own(self, part: str) -> Iterator[Piece]:
        documents = self.train_documents
        if len(documents) >= MANY:
            held = self._held()
            for piece in documents.pieces():
                if (piece.document in held) == (part == "dev"):
                    yield piece
            return
        read: dict[int, int] = {}
        for piece in documents.pieces():
            start = read.get(piece.document, 0)
            read[piece.document] = start + len(piece.text)
            end = int(documents.kept[piece.document][1] * (1 - self.fraction)) - start
            end = max(0, end)
            if text := (piece.text[:end] if part == "train" else piece.text[end:]):
                yield Piece(piece.document, text)

    def _held(self) -> frozenset[int]:
        kept = self.train_documents.kept
        count = max(1, round(self.fraction * len(kept)))
        return frozenset(sorted(kept, key=lambda number: kept[number][0])[:count])


def split_documents(
    path: str, dev: str | None, *, column: str | None, fraction: float, say: Say
) -> Split:
    """Reads the documents and holds some out, unless there is a dev file; says what went where.

    Raises:
        BadArgumentError, DamagedFileError: see `Documents`.
    """
    dev_documents = None if dev is None else Documents(dev, column)
    taken = frozenset[int]() if dev_documents is None else dev_documents.keys
    documents = Documents(path, column, taken)
    for each in (documents, dev_documents):
        if each is not None:
            say(f"{each.path}: documents: {each.report}")
    split = Split(documents, dev_documents, fraction)
    if dev_documents is None and len(documents) >= MANY:
        say(f"dev: {len(split._held()):,} of {len(documents):,} documents")
    elif dev_documents is None:
        say(f"dev: the last {fraction:.0%} of {'the text' if len(documents) == 1 else 'each'}")
    return split


def write_tokens(
    path: Path, pieces: Iterable[Piece], tokenizer: Tokenizer, *, separator: int | None
) -> tuple[TokenStore, int]:
    """Stores the ids of documents as one stream, with `separator` before, between and behind them.

    Returns:
        The store, whose `tokens` are the stream, and the UTF-8 bytes that the tokens spell.

    Raises:
        BadArgumentError: no text.
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
    """Raises BadArgumentError unless there are the tokens of a block and the one behind it."""
    if count <= block:
        raise BadArgumentError(
            f"{what} must have more than {block} tokens, the length of a block; got {count:,}."
            f" {advice}"
        )


def one_checksum(checksums: str) -> str:
    """SHA-256 of several, which a folder of many files has."""
    return checksums if len(checksums) == 64 else hashlib.sha256(checksums.encode()).hexdigest()


def _pass_over(bad: BadLine) -> None:
    if bad.reason != "bad encoding":
        refuse(bad)
