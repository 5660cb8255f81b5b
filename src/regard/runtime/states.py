"""Running decodes of packed models, one row for each hypothesis: generation's Decoder."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.runtime.session import Array, Bound, Cache, Session

BLOCK = 16  # keys
# Tokens of one text that are read at once: each of them is compared with every token so far and
# with the others, those that follow it included.
PIECE = 192
MOST_DONE = 0.75  # of the sources are still running, or those that are done are taken out
# What a masked score becomes; its exponential is 0 beside any other.
MASKED = np.finfo(np.float32).min


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
    further queries of it. The keys and values of the past are in storage that grows by blocks. A
    source that is done stays where it is, and is computed, until a quarter of the sources are.

    Args:
        source, mask: (batch, source length); the mask is 0 for padding.
        max_positions: tokens that a row may have; None: no limit.
    """

    _rows: NDArray[np.int64]  # the place of each row in the storage
    _width: int  # places of a source

    def __init__(
        self,
        encoder: Session,
        step: Session,
        source: NDArray[np.int64],
        mask: NDArray[np.int32],
        max_positions: int | None,
    ):
        names = list(encoder.outputs)[1:]  # without the states
        memory = encoder.run({"ids": source, "mask": mask}, names)
        self._memory: dict[str, Array] = dict(zip(names, memory, strict=True))
        batch, padded = len(source), memory[1].shape[2]
        self._memory["mask"] = np.full((batch, 1, 1, padded), MASKED)
        self._memory["mask"][:, 0, 0, : source.shape[1]][mask == 1] = 0
        self._step = step
        self._max_positions = max_positions
        self._cache = Cache(step, batch, BLOCK)
        self._place(np.arange(batch), 1)
        self.length = 0

    def step(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        [logits] = self._read(tokens, "logits")
        return logits

    def likeliest(
        self, tokens: NDArray[np.int64], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Appends tokens as `step` does, and returns the log-probabilities of the `count` likeliest
        next tokens and their ids, (rows, count) each, likeliest first."""
        count = min(count, vocab_of(self._step))
        if count != self._count[0]:
            self._count[0] = count
            self._bound.pop("log_probs", None)
        log_probs, best = self._read(tokens, "log_probs", "best")
        return log_probs, best

    def select(self, rows: NDArray[np.int64]) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        rows = self._rows[rows]
        sources, width = _groups(rows // self._width)
        stays = width == self._width and (np.diff(sources) > 0).all()
        batch = len(self._memory["mask"])
        if stays and len(sources) > batch * MOST_DONE:
            self._rows = (sources[:, None] * width + np.arange(width)).reshape(-1)
            self._cache.move(rows, self._rows, self.length)
            return
        self._cache.past = self._cache.past.take(rows, 1)  # contiguous
        if len(sources) != batch or (sources != np.arange(batch)).any():
            self._memory = {name: array[sources] for name, array in self._memory.items()}
        self._place(np.arange(len(rows)), width)

    def _read(self, tokens: NDArray[np.int64], *outputs: str) -> list[Array]:
        """Appends tokens, (rows,) or (rows, new); the outputs of the last of them."""
        for column in tokens.T if tokens.ndim == 2 else (tokens,):
            check_length(self.length + 1, self._max_positions)
            if self.length == self._cache.room:
                self._grow()
            self._tokens[self._rows, 0] = column
            self._position[0] = self._lengths[:] = self.length
            self.length += 1
            self._longest[0] = self.length
            binding, found = self._binding(outputs)
            binding.run()
        return [each[self._rows] for each in found]

    def _grow(self) -> None:
        self._cache.grow(self._cache.room + BLOCK)
        self._bound.clear()

    def _place(self, rows: NDArray[np.int64], width: int) -> None:
        """Rows are in these places of the storage, `width` to a source."""
        self._rows, self._width = rows, width
        self._tokens = np.zeros((len(rows), 1), np.int64)
        self._position = np.zeros(1, np.int64)
        self._lengths = np.zeros(len(rows), np.int32)
        self._longest = np.zeros(1, np.int32)
        self._count = np.ones(1, np.int64)
        self._bound: dict[str, tuple[Bound, list[Array]]] = {}

    def _binding(self, outputs: tuple[str, ...]) -> tuple[Bound, list[Array]]:
        """Runs on the present storage, and the arrays of these outputs."""
        if outputs[0] not in self._bound:
            inputs: dict[str, Array] = {
                "tokens": self._tokens,
                "position": self._position,
                "lengths": self._lengths,
                "longest": self._longest,
                "count": self._count,
            }
            inputs |= self._memory | self._cache.inputs()
            found = output_arrays(self._step, outputs, len(self._tokens), self._count[0])
            binding = self._step.bound(inputs, found | self._cache.inputs("all"))
            self._bound[outputs[0]] = binding, list(found.values())
        return self._bound[outputs[0]]


def output_arrays(step: Session, names: tuple[str, ...], rows: int, count: int) -> dict[str, Array]:
    """Arrays for what `heads.next_tokens` gives."""
    kinds = {
        "logits": (vocab_of(step), np.float32),
        "log_probs": (count, np.float32),
        "best": (count, np.int64),
    }
    return {name: np.empty((rows, kinds[name][0]), kinds[name][1]) for name in names}


def _groups(source: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The sources to keep, and the number of rows of each.

    Where neighboring rows share a source, equally many of each, it is kept once; else each row
    keeps its own.
    """
    firsts = np.flatnonzero(np.diff(source, prepend=-1))
    kept, size = source[firsts], len(source) // max(len(firsts), 1)
    if len(kept) * size == len(source) and (np.repeat(kept, size) == source).all():
        return kept, size
    return source, 1


def vocab_of(step: Session) -> int:
    """Tokens that a step chooses among."""
    return int(step.outputs["logits"][1])


class TextState:
    """The keys and values of a language model that continues texts.

    A row's keys follow each other without gaps: padding is moved to the right of the prompt, and
    the next token takes the place of the first padding. The graph writes into the storage that it
    reads, which doubles when it is full. A row that is done stays where it is, and is computed,
    until a quarter of the rows are.

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
        self._cache: Cache | None = None
        self._rows = self._lengths = np.zeros(0, np.int64)  # places; tokens in each place
        # What is bound, runs on it, their inputs and outputs.
        self._bound: tuple[Any, Bound, dict[str, Array], list[Array]] | None = None

    @property
    def past(self) -> NDArray[np.float32]:
        """The keys and values of the only row, (2 · layers, heads, length, head_dim)."""
        assert self._cache is not None
        assert len(self._lengths) == 1
        return self._cache.past[:, 0, :, : int(self._lengths[0])]

    def step(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        [logits] = self._read(tokens, 1, "logits")
        return logits

    def likeliest(
        self, tokens: NDArray[np.int64], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Appends tokens as `step` does, and returns the log-probabilities of the `count` likeliest
        next tokens and their ids, (rows, count) each, likeliest first."""
        count = min(count, vocab_of(self._step))
        log_probs, best = self._read(tokens, count, "log_probs", "best")
        return log_probs, best

    def select(self, rows: NDArray[np.int64]) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        assert self._cache is not None, "there are no rows before the prompt"
        rows, present = self._rows[rows], len(self._lengths)
        if len(rows) == present or (len(rows) > present * MOST_DONE and (np.diff(rows) > 0).all()):
            self._rows = np.arange(present) if len(rows) == present else rows
            self._cache.move(rows, self._rows, int(self._lengths.max()))
            self._lengths[self._rows] = self._lengths[rows]
            return
        self._cache.past = self._cache.past.take(rows, 1)  # contiguous
        self._lengths = self._lengths[rows]
        self._rows = np.arange(len(rows))
        self._bound = None

    def _read(self, tokens: NDArray[np.int64], count: int, *outputs: str) -> list[Array]:
        tokens = tokens.reshape(len(tokens), -1)
        if self._cache is None:
            mask = np.ones(tokens.shape, bool) if self._mask is None else self._mask
            tokens, new = _padded_on_the_right(tokens, mask)
            self._cache = Cache(self._step, len(tokens), 0)
            self._rows, self._lengths = np.arange(len(tokens)), np.zeros(len(tokens), np.int64)
            if len(tokens) > 1:
                return self._append(tokens, new, count, outputs)
        if len(self._lengths) == 1:
            for piece in np.split(tokens, range(PIECE, tokens.shape[1], PIECE), axis=1):
                found = self._append(piece, np.array([piece.shape[1]]), count, outputs)
            return found
        one = np.zeros(len(self._lengths), np.int64)  # several are read only of a single row
        one[self._rows] = 1
        column = np.zeros((len(one), 1), np.int64)
        for column[self._rows, 0] in tokens.T:
            found = self._append(column, one, count, outputs)
        return found

    def _append(
        self,
        tokens: NDArray[np.int64],
        new: NDArray[np.int64],
        count: int,
        outputs: tuple[str, ...],
    ) -> list[Array]:
        """Appends the first `new`, (places,), of tokens, (places, most new); of a row that is done
        there are 0, and what is computed for it is of no use."""
        assert self._cache is not None
        before, self._lengths = self._lengths, self._lengths + new
        longest = int(self._lengths.max())
        check_length(longest, self._max_positions)
        if max(longest, tokens.shape[1]) > self._cache.room:
            self._cache.grow(min(2 * longest + BLOCK, self._max_positions))
            self._bound = None
        last = np.maximum(new, 1) - 1
        inputs: dict[str, Array] = {
            "ids": tokens.copy(),
            "lengths": np.minimum(before + last, self._cache.room - 1).astype(np.int32),
            "longest": np.array([longest], np.int32),
            "last": last[:, None],
            "count": np.array([count]),
        }
        if "positions" in self._step.shapes:
            places = before[:, None] + np.arange(tokens.shape[1])
            inputs["positions"] = np.minimum(places, self._max_positions - 1)  # of padding
        return [each[self._rows] for each in self._computed(inputs, count, outputs)]

    def _computed(
        self, inputs: dict[str, Array], count: int, outputs: tuple[str, ...]
    ) -> list[Array]:
        """The outputs, in arrays that the next run overwrites."""
        assert self._cache is not None
        key = (inputs["ids"].shape, count, outputs)
        if self._bound is None or self._bound[0] != key:
            found = output_arrays(self._step, outputs, len(inputs["ids"]), count)
            past, storage = self._cache.inputs(), self._cache.inputs("all")
            binding = self._step.bound(inputs | past, found | storage)
            self._bound = key, binding, inputs, list(found.values())
        _, binding, arrays, results = self._bound
        for name, array in arrays.items():
            array[...] = inputs[name]
        binding.run()
        return results


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
