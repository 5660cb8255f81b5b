"""Running decodes of packed models, one row for each hypothesis: generation's Decoder."""

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.runtime.session import Array, Session, empty_cache

BLOCK = 16  # keys


def check_length(length: int, max_positions: int | None) -> None:
    """Raises BadArgumentError for a sequence that is too long for the model."""
    if max_positions is not None and length > max_positions:
        raise BadArgumentError(
            f"the model has {max_positions} positions; got a sequence of {length}"
            " tokens. Split the text or use a model with more positions."
        )


class DecodingState:
    """The caches of an encoder–decoder that decodes.

    The memory has one row for each source: the hypotheses of a source, which are neighbors, are
    further queries of it.

    Args:
        source, mask: (batch, source length); the mask is 0 for padding.
        max_positions: tokens that a row may have; None: no limit.
    """

    def __init__(
        self,
        encoder: Session,
        step: Session,
        source: NDArray[np.int64],
        mask: NDArray[np.int32],
        max_positions: int | None,
    ):
        names = encoder.outputs[1:]  # without the states
        memory = encoder.run({"ids": source, "mask": mask}, names)
        self._memory = {
            name: _whole_blocks(array, 2) for name, array in zip(names, memory, strict=True)
        }
        self._memory["mask"] = _whole_blocks(mask, 1)
        self._cache = empty_cache(step, len(source))
        self._step = step
        self._max_positions = max_positions
        self._source = np.arange(len(source))  # of each row
        self.length = 0

    def step(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        tokens = tokens.reshape(len(tokens), -1)
        length = self.length + tokens.shape[1]
        check_length(length, self._max_positions)
        positions = np.arange(self.length, length)
        inputs = {"tokens": tokens, "positions": positions, **self._memory, **self._cache}
        logits, *cache = self._step.run(inputs)
        self._cache = dict(zip(self._cache, cache, strict=True))
        self.length = length
        return logits

    def select(self, rows: NDArray[np.int64]) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        self._cache = {name: array[rows] for name, array in self._cache.items()}
        source = self._source[rows]
        kept, self._source = _groups(source)
        if len(kept) != len(self._memory["mask"]) or (kept != np.arange(len(kept))).any():
            self._memory = {name: array[kept] for name, array in self._memory.items()}


def _whole_blocks(array: Array, axis: int) -> Array:
    """The array, padded with zeros along an axis to whole blocks.

    A product with one query adds the keys that are left over from its blocks in another order, so
    without this a row's bits would depend on the longest source in its batch.
    """
    missing = -array.shape[axis] % BLOCK
    return np.pad(array, [(0, missing if each == axis else 0) for each in range(array.ndim)])


def _groups(source: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sources to keep, and the number among them of each row's.

    Where neighboring rows share a source, equally many of each, it is kept once; else each row
    keeps its own.
    """
    firsts = np.flatnonzero(np.diff(source, prepend=-1))
    kept, size = source[firsts], len(source) // max(len(firsts), 1)
    if len(kept) * size == len(source) and (np.repeat(kept, size) == source).all():
        return kept, np.repeat(np.arange(len(kept)), size)
    return source, np.arange(len(source))


class TextState:
    """The keys and values of a language model that continues texts.

    A row's keys follow each other without gaps: padding is moved to the right of the prompt, and
    the next token takes the place of the first padding.

    Args:
        max_positions: tokens that a row may have.
        attention_mask: (rows, length) of the prompt that will be read, False for padding, on
            either side; None: the prompt has no padding.
    """

    def __init__(
        self,
        step: Session,
        max_positions: int,
        attention_mask: NDArray[np.bool_] | None = None,
    ):
        self._step = step
        self._max_positions = max_positions
        self._mask = attention_mask
        self._cache: dict[str, Array] = {}
        self._lengths = np.zeros(0, np.int64)  # tokens that each row has read

    def step(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        tokens = tokens.reshape(len(tokens), -1)
        if not self._cache:
            self._cache = empty_cache(self._step, len(tokens))
            self._lengths = np.zeros(len(tokens), np.int64)
            mask = np.ones(tokens.shape, bool) if self._mask is None else self._mask
            return self._read(*_padded_on_the_right(tokens, mask))
        if len(tokens) == 1:
            return self._read(tokens, np.array([tokens.shape[1]]))
        one = np.ones(len(tokens), np.int64)  # the operator reads several only of a single row
        logits = [self._read(column[:, None], one) for column in tokens.T]
        return logits[-1]

    def select(self, rows: NDArray[np.int64]) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        self._cache = {name: array[rows] for name, array in self._cache.items()}
        self._lengths = self._lengths[rows]

    def _read(self, tokens: NDArray[np.int64], new: NDArray[np.int64]) -> NDArray[np.float32]:
        """Appends the first `new`, (rows,), of tokens, (rows, most new)."""
        before, self._lengths = self._lengths, self._lengths + new
        longest = int(self._lengths.max())
        check_length(longest, self._max_positions)
        inputs: dict[str, Array] = {
            "ids": tokens,
            "lengths": (self._lengths - 1).astype(np.int32),
            "longest": np.array([longest], np.int32),
            "last": new[:, None] - 1,
            **self._cache,
        }
        if "positions" in self._step.shapes:
            places = before[:, None] + np.arange(tokens.shape[1])
            inputs["positions"] = np.minimum(places, self._max_positions - 1)  # of padding
        logits, *cache = self._step.run(inputs)
        self._cache = dict(zip(self._cache, cache, strict=True))
        return logits


def _padded_on_the_right(
    tokens: NDArray[np.int64], mask: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A prompt with its padding behind it, (rows, longest), and each row's length, (rows,)."""
    if mask.shape != tokens.shape:
        raise BadArgumentError(
            f"attention_mask must have the shape {tokens.shape} of the ids; got {mask.shape}."
        )
    lengths = mask.sum(1)
    order = np.argsort(~mask, axis=1, kind="stable")[:, : max(int(lengths.max()), 1)]
    return np.take_along_axis(tokens, order, 1), lengths
