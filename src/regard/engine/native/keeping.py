"""A run that the engine keeps, which goes on as without it: what each attention was given, and what
each router gave, as the numbers that they were; arrays of them are made afterwards."""

import sys
from collections.abc import Callable, Iterator
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from regard.engine.native import interface, library
from regard.engine.native.library import here
from regard.inspection.recording import IN_MEMORY, empty_on_disk
from regard.progress import Stopped, at_exit, check

Floats = NDArray[np.float32]
Numbers = Callable[[int, tuple[int, ...], tuple[int, ...]], Floats]
"""Gives an array of the engine's numbers, by their address, shape and strides in numbers."""


BLOCK = 32 * 2**20  # bytes; pages that are not written to take no memory
SPARE = 8  # blocks of earlier runs that a thread keeps, because their memory is warm


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
        # A short run takes a tenth of a millisecond, of which each call here would be a 300th.
        spare = here.spare
        is_ready = spare and self._keep != "disk" and spare[-1].is_free(BLOCK)
        block = spare.pop() if is_ready else self._new(BLOCK)
        block.kept, self._blocks = self, [block]
        at_exit.begin()
        self._room = room = here.room
        self._before, room.value = room.value, block.address
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._room.value = self._before
        at_exit.finish()
        if kind is Stopped and self._failed is not None:
            raise self._failed from None

    def more(self, needed: int) -> int:
        """Give the engine place for so many bytes; another answer than 0 stops it."""
        try:
            check()
            at_exit.check()
            if needed:
                room = self._blocks[0].room
                self._blocks[-1].end = room.place
                self._blocks.append(block := self._new(max(needed, BLOCK)))
                room.place, room.left = block.first, block.size
            return 0
        except BaseException as error:  # which C would lose
            self._failed = error
            return 1

    def _new(self, size: int) -> "_Block":
        if self._is_on_disk():
            return _Block(empty_on_disk((size,), np.uint8))
        for block in reversed(here.spare):
            if block.is_free(size):
                here.spare.remove(block)
                return block
        return _Block(np.empty(size, np.uint8))

    def _is_on_disk(self) -> bool:
        if self._keep == "auto":
            return sum(block.size for block in self._blocks) > IN_MEMORY
        return self._keep == "disk"

    def __iter__(self) -> Iterator[tuple[library.Captured, Numbers]]:
        """Yield what was kept, once, in the order of the run, and what gives arrays of its numbers,
        where they are."""
        in_memory = not self._is_on_disk()
        blocks, self._blocks = self._blocks, []

        def across(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
            [block] = [block for block in blocks if 0 <= address - block.first < block.size]
            return block.numbers(address, shape, strides)

        numbers = across if len(blocks) > 1 else blocks[0].numbers
        blocks[-1].end = blocks[0].room.place
        for block in blocks:
            for what in block.captured():
                yield what, numbers
        if in_memory:
            here.spare = [*here.spare, *blocks][-SPARE:]
            for block in blocks:
                block.open()


class _Block:
    def __init__(self, memory: NDArray[np.uint8]):
        self._memory, self.size = memory, memory.size
        self.first = self.end = memory.ctypes.data
        self.room = interface.Room(more=_MORE)
        self.address = library.address_of(self.room)
        _at[self.address] = self
        self.open()

    def open(self) -> None:
        """Let a run begin here."""
        self.kept: Kept | None = None
        self.room.place, self.room.left, self.room.asked = self.first, self.size, 0

    def is_free(self, size: int) -> bool:
        """Return True if it has this size, and no array refers to its memory."""
        return self.size == size and self.references() == _ALONE

    def references(self) -> int:
        """Return the number of things that refer to its memory: itself, and each array."""
        return sys.getrefcount(self._memory)

    def captured(self) -> Iterator[library.Captured]:
        """Yield what the engine captured here."""
        memory = self._memory[: self.end - self.first].data
        return map(library.Captured._make, interface.ATTENTION.iter_unpack(memory))

    def numbers(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
        steps = [4 * step for step in strides]
        array = np.ndarray(shape, np.float32, self._memory, address - self.first, steps)
        return array.view(np.memmap) if isinstance(self._memory, np.memmap) else array


def _more(room: int, needed: int) -> int:
    context = _at[room].kept
    return 1 if context is None else context.more(needed)


_MORE = interface.More(_more)
_at = WeakValueDictionary[int, _Block]()  # by the address of its room
_ALONE = _Block(np.empty(1, np.uint8)).references()
