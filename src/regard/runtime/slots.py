"""Running decodes of packed models whose texts come and go between two steps.

A text has a slot: as many rows as it has hypotheses. Texts that begin at different times share each
step, and none of them changes a bit of another: sums of a row do not depend on the other rows, as
long as there are two. One row alone is multiplied by other instructions, so there are always two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.runtime.session import Array, Bound, Cache, Session
from regard.runtime.states import BLOCK, MASKED, TextState, output_arrays, vocab_of

SPARE = 1.25  # slots for each one that is taken, or the storage is made smaller
_SIZES = [size for power in range(14) for size in (2 << power, 3 << power)]


@dataclass(eq=False)
class Slot:
    """The place of a text; it may be moved."""

    index: int
    length: int = 0  # tokens that its rows have


class Read(NamedTuple):
    """What is to be read in a slot."""

    slot: Slot
    rows: NDArray[np.int64] | None  # those of the slot to go on with; None: the first, as they are
    tokens: NDArray[np.int64]  # (rows,)
    best: int | None  # likeliest next tokens of each row; None: the logits of all


class Slots:
    """What the slots of both kinds of models have in common.

    Args:
        step: the graph.
        width: rows of a slot.
    """

    def __init__(self, step: Session, width: int):
        self.width = width
        self._step = step
        self._taken: list[Slot] = []
        self._cache = Cache(step, 0, BLOCK)
        self._count = 0
        self._inputs: dict[str, Array] = {}
        self._bound: dict[tuple[str, ...], tuple[Bound, dict[str, Array]]] = {}

    def __len__(self) -> int:
        """Slots that are taken."""
        return len(self._taken)

    @property
    def size(self) -> int:
        """Slots that are computed, taken or not."""
        return int(self._cache.past.shape[1]) // self.width

    def remove(self, slot: Slot) -> None:
        """Frees a slot."""
        self._taken.remove(slot)
        self._shrink()

    def step(self, reads: Sequence[Read]) -> list[tuple[Array, ...]]:
        """Reads tokens in these slots; for each, what a `Decoder` gives of its rows: the logits,
        (rows, vocab), or log-probabilities and ids of the likeliest tokens, (rows, count) each."""
        self._select(reads)
        self._make_room(1 + max(read.slot.length for read in reads))
        lengths, tokens = np.zeros((2, self.size, self.width), np.int64)
        for slot in self._taken:
            lengths[slot.index] = slot.length
        for read in reads:
            tokens[read.slot.index, : len(read.tokens)] = read.tokens
            read.slot.length += 1
        counts = [each.best for each in reads if each.best is not None]
        outputs: tuple[str, ...] = ("log_probs", "best") if counts else ()
        if len(counts) < len(reads):
            outputs = ("logits", *outputs)
        self._set_count(min(max(counts, default=1), vocab_of(self._step)))
        binding, found = self._binding(outputs)
        self._fill(tokens.reshape(-1), lengths.reshape(-1))
        binding.run()
        return [self._found(read, found) for read in reads]

    def _found(self, read: Read, found: dict[str, Array]) -> tuple[Array, ...]:
        start = read.slot.index * self.width
        rows = slice(start, start + len(read.tokens))
        if read.best is None:
            return (found["logits"][rows].copy(),)
        return tuple(found[name][rows, : read.best].copy() for name in ("log_probs", "best"))

    def _select(self, reads: Sequence[Read]) -> None:
        """Moves the rows that go on to the beginning of their slots."""
        rows, places, longest = [], [], 0
        for read in reads:
            if read.rows is not None:
                start = read.slot.index * self.width
                rows.append(start + read.rows)
                places.append(np.arange(start, start + len(read.rows)))
                longest = max(longest, read.slot.length)
        if rows:
            self._cache.move(np.concatenate(rows), np.concatenate(places), longest)

    def _make_room(self, length: int) -> None:
        if length > self._cache.room:
            self._cache.grow(length + -length % BLOCK)
            self._bound.clear()

    def _take(self, number: int) -> list[Slot]:
        """So many free slots."""
        if len(self) + number > self.size:
            self._resize(self._enough(len(self) + number))
        taken = {slot.index for slot in self._taken}
        free = (index for index in range(self.size) if index not in taken)
        slots = [Slot(index) for _, index in zip(range(number), free, strict=False)]
        self._taken += slots
        return slots

    def _enough(self, number: int) -> int:
        """The size of the storage for this many slots."""
        least = 2 if self.width == 1 else 1
        return next((each for each in (1, *_SIZES) if each >= max(number, least)), number)

    def _shrink(self) -> None:
        size = self._enough(int(len(self) * SPARE))
        if size < self.size:
            self._resize(size)

    def _resize(self, size: int) -> None:
        """Storage of another size, with the slots that are taken at its beginning."""
        indices = [slot.index for slot in self._taken]
        longest = max((slot.length for slot in self._taken), default=0)
        old, width = self._cache, self.width
        self._cache = Cache(self._step, size * width, longest + -longest % BLOCK + BLOCK)
        rows = (np.array(indices, np.int64)[:, None] * width + np.arange(width)).reshape(-1)
        self._cache.past[:, : len(rows), :, :longest] = old.past[:, rows, :, :longest]
        self._move(indices, size)
        for place, slot in enumerate(self._taken):
            slot.index = place
        self._inputs = self._arrays(size * width)
        self._bound.clear()

    def _set_count(self, count: int) -> None:
        if count != self._count:
            self._count = count
            self._bound.clear()

    def _binding(self, outputs: tuple[str, ...]) -> tuple[Bound, dict[str, Array]]:
        if outputs not in self._bound:
            self._inputs["count"] = np.array([self._count])
            inputs = self._inputs | self._memory() | self._cache.inputs()
            found = output_arrays(self._step, outputs, self.size * self.width, self._count)
            binding = self._step.bound(inputs, found | self._cache.inputs("all"))
            self._bound[outputs] = binding, found
        return self._bound[outputs]

    def _fill(self, tokens: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Writes the inputs: tokens to be read and how many come before each, (rows,) each."""
        self._inputs["lengths"][...] = lengths
        self._inputs["longest"][0] = lengths.max() + 1

    def _arrays(self, rows: int) -> dict[str, Array]:
        return {"lengths": np.zeros(rows, np.int32), "longest": np.zeros(1, np.int32)}

    def _memory(self) -> dict[str, Array]:
        """What the graph reads besides."""
        return {}

    def _move(self, indices: list[int], size: int) -> None:
        """Makes that memory one of so many slots, those at these places at its beginning."""


class SourceSlots(Slots):
    """The slots of an encoder–decoder; each has the memory of its source.

    Args:
        encoder, step: the graphs.
        width: rows of a slot.
    """

    def __init__(self, encoder: Session, step: Session, width: int):
        super().__init__(step, width)
        self._encoder = encoder
        self._names = list(encoder.outputs)[1:]  # without the states
        # Of the source, in the arrays of the memory.
        self._axes = {name: step.shapes[name].index("source") for name in (*self._names, "mask")}
        self._sources: dict[Slot, int] = {}  # the length of each slot's memory
        self._held: dict[str, Array] = {}

    def add(self, source: NDArray[np.int64], mask: NDArray[np.int32]) -> list[Slot]:
        """Encodes sources, (batch, source length), and gives each a slot.

        Args:
            source: of similar length, since all take the memory of the longest.
            mask: of the same shape, 0 for padding, which is on the right.
        """
        slots = self._take(len(source))
        memory = self._encoder.run({"ids": source, "mask": mask}, self._names)
        length = int(memory[0].shape[self._axes[self._names[0]]])
        self._sources |= dict.fromkeys(slots, length)
        self._fit()
        places = [slot.index for slot in slots]
        shown = np.full((len(source), 1, 1, length), MASKED)
        shown[:, 0, 0, : mask.shape[1]][mask == 1] = 0
        for name, array in zip((*self._names, "mask"), (*memory, shown), strict=True):
            whole = np.full((len(places), *self._held[name].shape[1:]), _empty(name), np.float32)
            _cut(whole, self._axes[name], length)[...] = array
            self._held[name][places] = whole
        return slots

    def remove(self, slot: Slot) -> None:
        del self._sources[slot]
        super().remove(slot)

    def _fit(self) -> None:
        """Makes the memory as long as the longest source needs; half empty, it is made shorter."""
        needed = max(self._sources.values())
        held = self._held["mask"].shape[3]
        if not held // 2 < needed <= held:
            self._move(list(range(self.size)), self.size, needed)

    def _move(self, indices: list[int], size: int, length: int | None = None) -> None:
        old, self._held = self._held, {}
        if length is None:
            length = max(self._sources.values(), default=BLOCK)
        for name in (*self._names, "mask"):
            shape = [
                each if isinstance(each, int) else {"batch": size, "source": length}[each]
                for each in self._step.shapes[name]
            ]
            self._held[name] = np.full(shape, _empty(name), np.float32)
            if old and indices:
                axis = self._axes[name]
                kept = min(length, old[name].shape[axis])
                moved = _cut(self._held[name][: len(indices)], axis, kept)
                moved[...] = _cut(old[name][indices], axis, kept)
        self._bound.clear()

    def _memory(self) -> dict[str, Array]:
        return self._held

    def _arrays(self, rows: int) -> dict[str, Array]:
        own = {"tokens": np.zeros((rows, 1), np.int64), "position": np.zeros(rows, np.int64)}
        return super()._arrays(rows) | own

    def _fill(self, tokens: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        super()._fill(tokens, lengths)
        self._inputs["tokens"][:, 0] = tokens
        self._inputs["position"][...] = lengths


class TextSlots(Slots):
    """The slots of a language model. A text is read by a `TextState` of its own before it gets one,
    so a long prompt can be read in pieces, between the steps of the others."""

    def add(self, prompt: TextState) -> Slot:
        """A slot for what has been read; its first row has it."""
        [slot] = self._take(1)
        read = prompt.past
        slot.length = read.shape[2]
        self._make_room(slot.length)
        self._cache.past[:, slot.index * self.width, :, : slot.length] = read
        return slot

    def _arrays(self, rows: int) -> dict[str, Array]:
        own = {"ids": np.zeros((rows, 1), np.int64), "last": np.zeros((rows, 1), np.int64)}
        if "positions" in self._step.shapes:
            own["positions"] = np.zeros((rows, 1), np.int64)
        return super()._arrays(rows) | own

    def _fill(self, tokens: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        super()._fill(tokens, lengths)
        self._inputs["ids"][:, 0] = tokens
        if "positions" in self._inputs:
            self._inputs["positions"][:, 0] = lengths


def _empty(name: str) -> float:
    """What there is where no source is."""
    return float(MASKED) if name == "mask" else 0.0


def _cut(array: Array, axis: int, length: int) -> Any:
    """The first `length` places of an axis."""
    return array[(slice(None),) * axis + (slice(length),)]
