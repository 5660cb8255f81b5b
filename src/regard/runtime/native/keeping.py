"""A run that the engine keeps, which goes on as without it: what each attention was given, and what
each router gave, as the numbers that they were; arrays of them are made afterwards."""

import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from regard.inspection.recording import IN_MEMORY, empty_on_disk
from regard.progress import Stopped, check
from regard.runtime.native import library

Floats = NDArray[np.float32]
Numbers = Callable[[int, tuple[int, ...], tuple[int, ...]], Floats]
"""Gives an array of the engine's numbers, by their address, shape and strides in numbers."""


BLOCK = 32 * 2**20  # bytes; pages that are not written to take no memory
SPARE = 8  # blocks of runs before that a thread keeps: their memory is warm


class Kept:
    """A context, of whose runs in this thread the engine keeps what there is to see.

    Args:
        keep: where: "memory", "disk", or "auto", disk for what comes after 2 GiB.
    """

    def __init__(self, keep: str):
        self._keep, self._bytes = keep, 0
        self._blocks = list[_Block]()
        self._failed: BaseException | None = None

    def __enter__(self) -> "Kept":
        _here.context, self._room = self, _here.room
        self._add(self._new(1))
        self._before = library.listen(self._room)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        library.listen(self._before)
        self._blocks[-1].end = self._room.place
        if kind is Stopped and self._failed is not None:
            raise self._failed from None

    def more(self, needed: int) -> int:
        """Give the engine place for so many bytes; another answer than 0 stops it."""
        try:
            check()
            if needed:
                self._blocks[-1].end = self._room.place
                self._add(self._new(needed))
            return 0
        except BaseException as error:  # which C would lose
            self._failed = error
            return 1

    def _new(self, needed: int) -> "_Block":
        size = max(needed, BLOCK)
        if self._keep == "disk" or (self._keep == "auto" and self._bytes > IN_MEMORY):
            return _Block(empty_on_disk((size,), np.uint8))
        while _here.spare:
            block = _here.spare.pop()
            if block.size == size and block.references() == _ALONE:
                return block
        return _Block(np.empty(size, np.uint8))

    def _add(self, block: "_Block") -> None:
        self._blocks.append(block)
        self._bytes += block.size
        self._room.place, self._room.left = block.first, block.size

    def __iter__(self) -> Iterator[tuple[library.Captured, Numbers]]:
        """Yield what was kept, once, in the order of the run, and what gives arrays of its numbers,
        where they are."""
        blocks, self._blocks = self._blocks, []
        for block in blocks:
            address = block.first
            while address < block.end:
                what = library.Captured.at(address)
                yield what, block.numbers
                address += what.bytes
        if self._keep != "disk" and self._bytes <= IN_MEMORY:
            _here.spare = [*_here.spare, *blocks][-SPARE:]


class _Block:
    def __init__(self, memory: NDArray[np.uint8]):
        self._memory, self.size = memory, memory.size
        self.first = self.end = memory.ctypes.data

    def references(self) -> int:
        """The number of things that refer to its memory: itself, and each array."""
        return sys.getrefcount(self._memory)

    def numbers(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
        steps = [4 * step for step in strides]
        array = np.ndarray(shape, np.float32, self._memory, address - self.first, steps)
        return array.view(np.memmap) if isinstance(self._memory, np.memmap) else array


def _more(needed: int) -> int:
    return _here.context.more(needed)


class _Here(threading.local):
    """Things that a thread keeps with."""

    context: Kept

    def __init__(self) -> None:
        self.spare = list[_Block]()  # of runs before
        self.room = library.Room(more=_MORE)


_MORE = library.More(_more)
_ALONE = _Block(np.empty(1, np.uint8)).references()
_here: _Here = _Here()
