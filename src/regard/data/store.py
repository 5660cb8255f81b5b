"""A file of token ids read through a memory map, so that a corpus may exceed memory.

Layout, little-endian: magic (8 bytes) · position of the footer (int64) · tokens (uint16 or
uint32; each pair's source, then its target) · starts (int64, one a pair) · lengths (uint32, two a
pair) · footer (JSON). The header is written last and the file renamed into place, so that a file
under the final name is a whole one.

Not three .npy files: a corpus is one file that is renamed once, the number of tokens is unknown
until all are written, and .npy states it first. Reading is np.memmap. Stores of earlier runs must
stay readable in any case.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnavailableError
from regard.files import whole_file

Ids = npt.NDArray[np.integer[Any]]

_MAGIC = b"REGARD01"
_HEADER = len(_MAGIC) + 8
_PAIRS_AT_ONCE = 8192
_TOKENS_AT_ONCE = 2**20  # of long rows


class TokenStore:
    """Sentence pairs as token ids, without special tokens, in the order they were written.

    >>> store = TokenStore.write("pairs.bin", [([5, 6], [7]), ([8], [9, 10])], vocab_size=16)
    >>> len(store), [ids.tolist() for ids in store[1]]
    (2, [[8], [9, 10]])
    """

    def __init__(
        self, tokens: Ids, starts: Ids, lengths: Ids, *, vocab_sizes: tuple[int, int], too_long: int
    ) -> None:
        self.tokens = tokens  # (all tokens,)
        self.starts = starts  # (pairs,): where in `tokens` a pair's source begins
        self._lengths = lengths  # (pairs, 2)
        self.vocab_sizes = vocab_sizes
        self.too_long = too_long  # pairs that were left out for their length

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> tuple[Ids, Ids]:
        """Return the token ids of one pair: source (source_len,), target (target_len,)."""
        if not 0 <= index < len(self):
            raise IndexError(f"pair {index} of {len(self)}")
        start = int(self.starts[index])
        middle = start + int(self._lengths[index, 0])
        return self.tokens[start:middle], self.tokens[
            middle : middle + int(self._lengths[index, 1])
        ]

    def lengths(self) -> tuple[Ids, Ids]:
        """Source lengths and target lengths in tokens, (pairs,) each."""
        return self._lengths[:, 0], self._lengths[:, 1]

    @classmethod
    def write(
        cls,
        path: str | Path,
        pairs: Iterable[tuple[Sequence[int], Sequence[int]]],
        *,
        vocab_size: int | tuple[int, int],
        max_length: int | None = None,
    ) -> TokenStore:
        """Write pairs of id lists and open the result; an existing file is replaced whole.

        `vocab_size` is shared or (source, target). A pair with a side of more than `max_length`
        ids is left out, never cut, and counted in `too_long`; leave room for the end-of-sentence
        token that batches add. Raises BadArgumentError for an id that the vocabulary does not have,
        and when nothing is left to write.
        """
        path = Path(path)
        sizes = (vocab_size, vocab_size) if isinstance(vocab_size, int) else vocab_size
        try:
            with (
                whole_file(path) as partial,
                open(partial, "wb") as file,
                tempfile.TemporaryFile() as lengths_file,
            ):
                _write(file, lengths_file, pairs, sizes, max_length)
        except OSError as error:
            raise UnavailableError(
                f"{path} cannot be written ({error.strerror}): free space there, or name a folder "
                "that may be written to"
            ) from error
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> TokenStore:
        """Map an existing store; nothing is read until it is asked for."""
        path = Path(path)
        if not path.is_file():
            raise NotFoundError(f"expected a token store at {path}, which does not exist")
        try:
            footer_at, footer = _footer(path)
            _check_footer(footer)
            dtype, count, pairs = np.dtype(footer["dtype"]), footer["tokens"], footer["pairs"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DamagedFileError(
                f"{path} is not a complete token store ({error}): delete it to prepare it again"
            ) from error
        starts_at = _aligned(_HEADER + count * dtype.itemsize)
        lengths_at = starts_at + pairs * 8
        if lengths_at + pairs * 8 != footer_at:
            raise DamagedFileError(f"{path} is damaged: its parts do not match; delete it")
        starts = np.memmap(path, "<i8", "r", starts_at, (pairs,))
        lengths = np.memmap(path, "<u4", "r", lengths_at, (pairs, 2))
        if not _follow(starts, lengths, count):
            raise DamagedFileError(f"{path} is damaged: its pairs lie elsewhere; delete it")
        return cls(
            np.memmap(path, dtype, "r", _HEADER, (count,)),
            starts,
            lengths,
            vocab_sizes=(footer["vocab_sizes"][0], footer["vocab_sizes"][1]),
            too_long=footer["too_long"],
        )


def _write(
    file: IO[bytes],
    lengths_file: IO[bytes],
    pairs: Iterable[tuple[Sequence[int], Sequence[int]]],
    sizes: tuple[int, int],
    max_length: int | None,
) -> None:
    dtype = np.dtype("<u2" if max(sizes) <= 1 << 16 else "<u4")
    limit = max_length if max_length is not None else np.iinfo(np.uint32).max
    file.write(bytes(_HEADER))
    count = tokens = too_long = waiting = 0
    sides: list[Sequence[int]] = []

    def flush() -> None:
        nonlocal tokens, waiting
        lengths = np.fromiter(map(len, sides), "<u4", len(sides))
        flat = np.fromiter(chain.from_iterable(sides), np.int64, int(lengths.sum()))
        _check_ids(flat, lengths, sizes)
        file.write(flat.astype(dtype).tobytes())
        lengths_file.write(lengths.tobytes())
        tokens, waiting = tokens + len(flat), 0
        sides.clear()

    for source, target in pairs:
        if len(source) > limit or len(target) > limit:
            too_long += 1
            continue
        count += 1
        sides += (source, target)
        waiting += len(source) + len(target)
        if len(sides) >= 2 * _PAIRS_AT_ONCE or waiting >= _TOKENS_AT_ONCE:
            flush()
    flush()
    if not tokens:
        why = (
            f"all {too_long} are longer than {max_length} tokens"
            if too_long
            else "there are no sentences"
        )
        raise BadArgumentError(f"expected sentence pairs to store, but {why}")
    file.write(bytes(_aligned(file.tell()) - file.tell()))
    _write_starts(file, lengths_file)
    lengths_file.seek(0)
    shutil.copyfileobj(lengths_file, file)
    footer_at = file.tell()
    footer = {
        "dtype": dtype.str,
        "tokens": tokens,
        "pairs": count,
        "vocab_sizes": sizes,
        "too_long": too_long,
    }
    file.write(json.dumps(footer).encode())
    file.seek(0)
    file.write(_MAGIC + footer_at.to_bytes(8, "little"))
    file.flush()
    os.fsync(file.fileno())


def _write_starts(file: IO[bytes], lengths_file: IO[bytes]) -> None:
    """Return the running sum of the pairs' lengths, from what was put aside: a few thousand at a
    time."""
    lengths_file.seek(0)
    start = 0
    while chunk := lengths_file.read(8 * _PAIRS_AT_ONCE):
        ends = start + np.frombuffer(chunk, "<u4").reshape(-1, 2).sum(1, dtype="<i8").cumsum()
        file.write(np.concatenate([[start], ends[:-1]]).astype("<i8").tobytes())
        start = int(ends[-1])


def _check_ids(flat: Ids, lengths: Ids, sizes: tuple[int, int]) -> None:
    """Every id is below the size of its own side's vocabulary; sides alternate in `lengths`."""
    limits = np.repeat(np.resize(np.array(sizes, np.int64), len(lengths)), lengths)
    wrong = np.flatnonzero((flat < 0) | (flat >= limits))
    if len(wrong):
        first = wrong[0]
        raise BadArgumentError(
            f"token ids must be from 0 to {limits[first] - 1}; got {flat[first]}: the text was "
            "encoded with another tokenizer than the model's"
        )


def _footer(path: Path) -> tuple[int, dict[str, Any]]:
    with open(path, "rb") as file:
        header = file.read(_HEADER)
        if header[: len(_MAGIC)] != _MAGIC:
            raise ValueError("it does not begin as one")
        footer_at = int.from_bytes(header[len(_MAGIC) :], "little")
        file.seek(footer_at)
        return footer_at, json.loads(file.read())


def _check_footer(footer: Mapping[str, Any]) -> None:
    """Raise an exception for what no store has."""
    sizes = [footer["tokens"], footer["pairs"], *footer["vocab_sizes"]]
    if any(type(size) is not int or size < 1 for size in sizes) or len(sizes) != 4:
        raise ValueError(f"its sizes are {sizes}")
    if type(footer["too_long"]) is not int or footer["dtype"] not in ("<u2", "<u4"):
        raise ValueError("its footer is another")


def _follow(starts: Ids, lengths: Ids, tokens: int) -> bool:
    """Return whether each pair begins where the one before it ends, and the last one at the end."""
    expected = 0
    for first in range(0, len(starts), _PAIRS_AT_ONCE):
        chunk = slice(first, first + _PAIRS_AT_ONCE)
        ends = expected + lengths[chunk].sum(1, dtype=np.int64).cumsum()
        if starts[first] != expected or not np.array_equal(starts[chunk][1:], ends[:-1]):
            return False
        expected = int(ends[-1])
    return expected == tokens


def _aligned(position: int) -> int:
    return (position + 7) // 8 * 8
