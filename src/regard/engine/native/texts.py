"""Texts as the native engine reads them, and what is refused of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, check_length

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Limits:
    """Limits of the ids that a model can read."""

    vocab_size: int
    max_positions: int | None  # None: no limit
    pad_id: int | None
    count_padding: bool = True  # whether padding of a source has positions

    def sources(self, ids: Ints) -> Ints:
        """Return sources, (batch, length), which are checked; padding without positions stands
        behind."""
        self.check(ids)
        if self.count_padding:
            return ids
        return np.take_along_axis(ids, np.argsort(ids == self.pad_id, axis=1, kind="stable"), 1)

    def check(self, ids: Ints) -> None:
        """Raise BadArgumentError for ids (batch, length) that the model cannot read."""
        # As unsigned numbers, those below 0 are the largest.
        if ids.size and ids.astype(np.int64, copy=False).view(np.uint64).max() >= self.vocab_size:
            low, high = int(ids.min()), int(ids.max())
            raise BadArgumentError(
                f"token ids must be from 0 to {self.vocab_size - 1};"
                f" got {high if low >= 0 else low}. Does the tokenizer belong to this model?"
            )
        check_length(ids.shape[1], self.max_positions)


def check_ended(ended: NDArray[np.bool_]) -> None:
    """Raise BadArgumentError unless every text has the end token, (batch,)."""
    if not ended.all():
        raise BadArgumentError(
            "each text must contain the end token, where its labels are read; got one without"
            " it. Use the model's own tokenizer."
        )


def check_pixels(shape: tuple[int, ...], expected: tuple[Any, ...]) -> None:
    """Raise BadArgumentError for images of another size or number of channels."""
    if shape[1:] != expected:
        raise BadArgumentError(
            f"pixels must be (batch, channels, height, width) with {expected} after batch;"
            f" got {shape}. Resize the images."
        )


def padded_on_the_right(tokens: Ints, mask: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return a prompt with its padding behind it, (rows, longest), and each row's length,
    (rows,)."""
    if mask.shape != tokens.shape:
        raise BadArgumentError(
            f"attention_mask must have the shape {tokens.shape} of the ids; got {mask.shape}."
        )
    lengths = mask.sum(1)
    order = np.argsort(~mask, axis=1, kind="stable")[:, : max(int(lengths.max(initial=0)), 1)]
    return np.take_along_axis(tokens, order, 1), lengths
