"""Texts that a packed model decodes together: in a batch, or coming and going between two steps.

No text changes a bit of another: sums of a row do not depend on the other rows, as long as there
are two. One row alone is multiplied by other instructions, so slots always have two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.runtime.rows import Ints, Rows
from regard.runtime.session import Array

MOST_DONE = 0.75  # of the texts are still running, or those that are done are taken out
SPARE = 1.25  # slots for each one that is taken, or the storage is made smaller
SIZES = [1, *(size for power in range(14) for size in (2 << power, 3 << power))]  # of slots
LOGITS, LIKELIEST = ("logits",), ("log_probs", "best")  # outputs of a step; see `next_tokens`


class Batch:
    """Texts that begin together, and leave when they are done: generation's Decoder.

    A row that is done stays where it is, and is computed, until a quarter of the texts are done.

    Args:
        rows: of the texts, one of each; none yet, where they begin with a prompt.
        attention_mask: (rows, length) of the prompt that will be read, False for padding, on
            either side; None: the prompt has no padding.
    """

    def __init__(self, rows: Rows, attention_mask: NDArray[np.bool_] | None = None):
        self.rows = rows
        self._mask = attention_mask
        self._places = np.arange(rows.size)  # of its rows among those of the storage

    def step(self, tokens: Ints) -> NDArray[np.float32]:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        [logits] = self._read(tokens, LOGITS)
        return logits

    def likeliest(self, tokens: Ints, count: int) -> tuple[NDArray[np.float32], Ints]:
        """Appends tokens as `step` does, and returns the log-probabilities of the `count` likeliest
        next tokens and their ids, (rows, count) each, likeliest first."""
        log_probs, best = self._read(tokens, LIKELIEST, count)
        return log_probs, best

    def select(self, rows: Ints) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        assert self.rows.size, "there are no rows before the prompt"
        rows = self._places[rows]
        texts, width = _groups(rows // self.rows.width)
        stays = width == self.rows.width and (np.diff(texts) > 0).all()
        if stays and len(texts) > self.rows.size * MOST_DONE:
            self._places = (texts[:, None] * width + np.arange(width)).reshape(-1)
            self.rows.move(rows, self._places)
        else:
            self.rows.take(rows, width, len(texts))
            self._places = np.arange(len(rows))

    def _read(
        self, tokens: Ints, outputs: tuple[str, ...], count: int | None = None
    ) -> list[Array]:
        if self.rows.size:
            return self.rows.read(self._places, tokens, outputs, count)
        tokens = tokens.reshape(len(tokens), -1)
        mask = np.ones(tokens.shape, bool) if self._mask is None else self._mask
        tokens, new = padded_on_the_right(tokens, mask)
        self.rows.begin(len(tokens))
        self._places = np.arange(len(tokens))
        return self.rows.read(self._places, tokens, outputs, count, new)


@dataclass(eq=False)
class Slot:
    """The place of a text; it may be moved."""

    index: int


class Read(NamedTuple):
    """Tokens to be read in a slot."""

    slot: Slot
    rows: Ints | None  # those of the slot to go on with; None: the first, as they are
    tokens: Ints  # (rows,)
    best: int | None  # likeliest next tokens of each row; None: the logits of all


class Slots:
    """Places of texts that come and go between two steps, each of as many rows as a text needs.

    Args:
        rows: without texts.
        width: rows of a slot.
    """

    def __init__(self, rows: Rows, width: int):
        self.rows = rows
        self.rows.begin(0, width)
        self._taken: list[Slot] = []

    def __len__(self) -> int:
        """Slots that are taken."""
        return len(self._taken)

    def add(self, source: Ints, mask: NDArray[np.int32]) -> list[Slot]:
        """Encodes sources, (batch, source length), and gives each a slot.

        Args:
            source: of similar length, since all take the memory of the longest.
            mask: of the same shape, 0 for padding, which is on the right.
        """
        slots = self._take(len(source))
        self.rows.encode(np.array([slot.index for slot in slots]), source, mask)
        return slots

    def start(self) -> Batch:
        """A row that reads a prompt, to enter with it later."""
        return Batch(self.rows.again())

    def enter(self, prompt: Batch) -> Slot:
        """A slot for what the only row of a batch has read, so that a long prompt can be read in
        pieces, between the steps of the others; the slot's first row has it."""
        [slot] = self._take(1)
        if prompt.rows.size:  # it has read
            self.rows.put(slot.index * self.rows.width, prompt.rows.keys_of(0))
        return slot

    def remove(self, slot: Slot) -> None:
        """Frees a slot."""
        self._taken.remove(slot)
        self.rows.clear(slot.index)
        size = self._enough(int(len(self) * SPARE))
        if size < self.rows.size:
            self._resize(size)

    def step(self, reads: Sequence[Read]) -> list[tuple[Array, ...]]:
        """Reads tokens in these slots; for each, what a `Decoder` gives of its rows: the logits,
        (rows, vocab), or log-probabilities and ids of the likeliest tokens, (rows, count) each."""
        starts = [read.slot.index * self.rows.width for read in reads]
        chosen = [
            (start + read.rows, np.arange(start, start + len(read.rows)))
            for start, read in zip(starts, reads, strict=True)
            if read.rows is not None
        ]
        if chosen:
            rows, places = map(np.concatenate, zip(*chosen, strict=True))
            self.rows.move(rows, places)
        places = np.concatenate(
            [
                np.arange(start, start + len(read.tokens))
                for start, read in zip(starts, reads, strict=True)
            ]
        )
        counts = [read.best for read in reads if read.best is not None]
        outputs: tuple[str, ...] = LIKELIEST if counts else ()
        if len(counts) < len(reads):
            outputs += LOGITS
        tokens = np.concatenate([read.tokens for read in reads])
        arrays = self.rows.read(places, tokens, outputs, max(counts, default=None))
        answers, end = list[tuple[Array, ...]](), 0
        for read in reads:
            part = slice(end, end := end + len(read.tokens))
            if read.best is None:
                answers.append((arrays[-1][part],))
            else:
                answers.append(tuple(array[part, : read.best] for array in arrays[:2]))
        return answers

    def _take(self, number: int) -> list[Slot]:
        """Return this many free slots, and mark them as taken."""
        if len(self) + number > self.rows.size:
            self._resize(self._enough(len(self) + number))
        free = sorted(set(range(self.rows.size)) - {slot.index for slot in self._taken})
        slots = [Slot(index) for index in free[:number]]
        self._taken += slots
        return slots

    def _enough(self, number: int) -> int:
        """The size of the storage for this many slots."""
        least = 2 if self.rows.width == 1 else 1
        return next((size for size in SIZES if size >= max(number, least)), number)

    def _resize(self, size: int) -> None:
        """Storage of another size, with the slots that are taken at its beginning."""
        width = self.rows.width
        indices = np.array([slot.index for slot in self._taken], np.int64)
        self.rows.take((indices[:, None] * width + np.arange(width)).reshape(-1), width, size)
        for place, slot in enumerate(self._taken):
            slot.index = place


def _groups(texts: Ints) -> tuple[Ints, int]:
    """The texts to keep, and the number of rows of each, from the text of each row.

    Where neighboring rows share a text, equally many of each, it is kept once; else each row keeps
    its own.
    """
    firsts = np.flatnonzero(np.diff(texts, prepend=-1))
    single, width = texts[firsts], len(texts) // max(len(firsts), 1)
    if len(single) * width == len(texts) and (np.repeat(single, width) == texts).all():
        return single, width
    return texts, 1


def padded_on_the_right(tokens: Ints, mask: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """A prompt with its padding behind it, (rows, longest), and each row's length, (rows,)."""
    if mask.shape != tokens.shape:
        raise BadArgumentError(
            f"attention_mask must have the shape {tokens.shape} of the ids; got {mask.shape}."
        )
    lengths = mask.sum(1)
    order = np.argsort(~mask, axis=1, kind="stable")[:, : max(int(lengths.max(initial=0)), 1)]
    return np.take_along_axis(tokens, order, 1), lengths
