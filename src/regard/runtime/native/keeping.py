"""A run that the engine keeps, which goes on as without it: what each attention was given, and what
each router gave, as the numbers that they were; arrays of them are made afterwards."""

import sys
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
SPARE = 8  # blocks of runs before that a thread keeps: their memory is warm, if nothing refers to it


class Kept:
    """A context, of whose runs in this thread the engine keeps what there is to see.

    Args:
        keep: where: "memory", "disk", or "auto", disk for what comes after 2 GiB.
    """

    _failed: BaseException | None = None

    def __init__(self, keep: str):
        self._keep = keep
        self._blocks: list[_Block] = []

    def __enter__(self) -> "Kept":
        block = self._new(BLOCK)
        self.room = block.room
        self._before = library.listen(self)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        library.listen(self._before)
        if kind is Stopped and self._failed is not None:
            raise self._failed from None

    def more(self, needed: int) -> int:
        """Give the engine place for so many bytes; another answer than 0 stops it."""
        try:
            check()
            if needed:
                self._blocks[-1].end = self.room.place
                room = self._new(max(needed, BLOCK)).room
                self.room.place, self.room.left = room.place, room.left
            return 0
        except BaseException as error:  # which C would lose
            self._failed = error
            return 1

    def _new(self, size: int) -> "_Block":
        block = _Block(empty_on_disk((size,), np.uint8)) if self._is_on_disk() else _free(size)
        self._blocks.append(block)
        return block

    def _is_on_disk(self) -> bool:
        if self._keep == "auto":
            return sum(block.size for block in self._blocks) > IN_MEMORY
        return self._keep == "disk"

    def __iter__(self) -> Iterator[tuple[library.Captured, Numbers]]:
        """Yield what was kept, once, in the order of the run, and what gives arrays of its numbers,
        where they are."""
        in_memory = not self._is_on_disk()
        blocks, self._blocks = self._blocks, []

        def numbers(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
            [block] = [block for block in blocks if 0 <= address - block.first < block.size]
            return block.numbers(address, shape, strides)

        blocks[-1].end = self.room.place
        for block in blocks:
            for what in block.told():
                yield what, numbers
        if in_memory:
            library.here.spare = [*library.here.spare, *blocks][-SPARE:]
            for block in blocks:
                block.room.place, block.room.left = block.first, block.size


class _Block:
    def __init__(self, memory: NDArray[np.uint8]):
        self._memory, self.size = memory, memory.size
        self.first = self.end = memory.ctypes.data
        self.room = library.Room(self.first, self.size, _MORE)

    def references(self) -> int:
        """The number of things that refer to its memory: itself, and each array."""
        return sys.getrefcount(self._memory)

    def told(self) -> Iterator[library.Captured]:
        """What the engine told here."""
        memory = self._memory[: self.end - self.first]
        return map(library.Captured._make, library.CAPTURED.iter_unpack(memory))

    def numbers(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
        steps = [4 * step for step in strides]
        array = np.ndarray(shape, np.float32, self._memory, address - self.first, steps)
        return array.view(np.memmap) if isinstance(self._memory, np.memmap) else array


def _free(size: int) -> _Block:
    """A block to which nothing refers."""
    spare = library.here.spare
    for block in reversed(spare):
        if block.size == size and block.references() == _ALONE:
            spare.remove(block)
            return block
    return _Block(np.empty(size, np.uint8))


_MORE = library.More(lambda needed: library.here.listening.more(needed))
_ALONE = _Block(np.empty(1, np.uint8)).references()
