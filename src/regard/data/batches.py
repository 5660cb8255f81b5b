"""Length-bucketed, token-counted batches whose order is a function of seed and step alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch

from regard.data.store import Ids, TokenStore
from regard.errors import BadArgumentError

Rates = npt.NDArray[np.float64]

# Tokens of noise on the target length. On Multi30k 1.5 adds two hundredths of padding, and two
# pairs that share a batch meet again in the next epoch one time in five instead of one in two.
_BLUR = 1.5


class Tensors:
    """A data class whose tensors, and those of the data classes in it, move together."""

    def to(self, device: torch.device | str) -> Self:
        moved: dict[str, Any] = {
            name: value.to(device, non_blocking=True) if isinstance(value, torch.Tensor)
            else value.to(device) if hasattr(value, "to") else value
            for name, value in vars(self).items()
        }  # fmt: skip
        return type(self)(**moved)


@dataclass(frozen=True)
class Batch(Tensors):
    """Padded sentence pairs; every sentence ends in the end-of-sentence token.

    The model makes the decoder's input from `target` itself (shifted right behind a start token).

    >>> source, source_lengths = pad([[5, 6, 7], [8]], pad_id=0, eos_id=1)
    >>> target, target_lengths = pad([[4], [3, 2]], pad_id=0, eos_id=1)
    >>> batch = Batch(source, target, source_lengths, target_lengths, int(target_lengths.sum()))
    >>> len(batch), batch.num_target_tokens
    (2, 5)
    """

    source: torch.Tensor  # (batch, source_len) int64
    target: torch.Tensor  # (batch, target_len) int64
    source_lengths: torch.Tensor  # (batch,) int64, the end-of-sentence token counted
    target_lengths: torch.Tensor  # (batch,)
    num_target_tokens: int  # without padding: what a loss is averaged over

    def __len__(self) -> int:
        return len(self.source)


def pad(
    sentences: Sequence[Sequence[int]], *, pad_id: int, eos_id: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sentences with their end token as one tensor (batch, length), and their lengths (batch,).

    >>> pad([[5, 6, 7], [8]], pad_id=0, eos_id=1)
    (tensor([[5, 6, 7, 1],
            [8, 1, 0, 0]]), tensor([4, 2]))
    """
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    flat = np.fromiter(chain.from_iterable(sentences), np.int64, int(lengths.sum()))
    return _gather(flat, np.cumsum(lengths) - lengths, lengths, pad_id, eos_id)


class Plan:
    """Rows of a dataset that make up the batch of each step, whatever was asked for before.

    Every epoch holds each row exactly once, or as often as `rates` says, in `len(self)` batches of
    at most `max_tokens` padded tokens on either side and at most `max_rows` rows. `at(step)` needs
    nothing but the seed and the step, so a run resumes by asking for its next step.

    Rows of similar lengths share a batch: they are sorted by lengths blurred by a little noise,
    new in each epoch, so that batches hold other company each time and little padding.

    Args:
        source, target: the rows' lengths, (rows,) each; the same array for rows of one side.
        rates: (rows,), the mean number of times that an epoch has each row, so that 0.5 is every
            other epoch on average.

    >>> lengths = numpy.array([3, 9, 4, 8])
    >>> plan = Plan(lengths, lengths, max_tokens=20, seed=0)
    >>> sorted(row for step in range(len(plan)) for row in plan.at(step).tolist())
    [0, 1, 2, 3]
    """

    def __init__(
        self,
        source: Ids,
        target: Ids,
        *,
        max_tokens: int,
        max_rows: int | None = None,
        rates: Rates | None = None,
        seed: int,
    ) -> None:
        self.max_tokens, self.max_rows, self.seed = max_tokens, max_rows or len(source), seed
        self._source, self._target, self._rates = source, target, rates
        longest = int(max(source.max(), target.max()))
        if longest > max_tokens:
            raise BadArgumentError(
                f"max_tokens must be at least {longest}, the length of the longest text; got"
                f" {max_tokens}. Raise it, or lower max_length."
            )
        # The noise makes the number of batches vary by a few; every epoch is brought to one
        # number, so that a step tells its epoch without planning those before it.
        blurred, exact = (len(self._cut(self._order(seed, 0, blur))) for blur in (_BLUR, 0.0))
        self._per_epoch = max(blurred + blurred // 100, exact)
        self._planned: tuple[int, list[Ids]] = (-1, [])

    def __len__(self) -> int:
        """Batches in an epoch."""
        return self._per_epoch

    def at(self, step: int) -> Ids:
        """Return the rows of a step (from 0), (batch,)."""
        epoch, number = divmod(step, self._per_epoch)
        return self.epoch(epoch)[number]

    def epoch(self, epoch: int) -> list[Ids]:
        """Return the rows of each batch of an epoch, in the order of training."""
        if self._planned[0] != epoch:
            blur = _BLUR
            while len(batches := self._cut(self._order(self.seed, epoch, blur))) > self._per_epoch:
                if not blur:  # only an epoch of other rows than the first: their rest is left out
                    break
                blur = blur / 2 if blur > 0.1 else 0.0  # at 0 the number is `exact`, which fits
            _split_largest(batches, self._per_epoch)
            order = np.random.default_rng([self.seed, epoch, 1]).permutation(len(batches))
            self._planned = (epoch, [batches[number] for number in order[: self._per_epoch]])
        return self._planned[1]

    def _order(self, seed: int, epoch: int, blur: float) -> Ids:
        """Return the rows of an epoch by blurred target length, then source length, equals at
        random."""
        draw = np.random.default_rng([seed, epoch])
        rows = self._rows(seed, epoch)
        target = (self._target[rows] + blur * draw.random(len(rows))).astype(np.int32)
        # Up, down, up: neighbors stay alike where one target length ends and the next begins.
        source = np.where(target % 2, self._source[rows], -self._source[rows])
        return rows[np.lexsort((draw.random(len(target)), source, target))]

    def _rows(self, seed: int, epoch: int) -> Ids:
        """Return the rows of an epoch, always as many: each as often as the sum of rates passes a
        whole number at it, with the rows in a new order in each epoch."""
        if self._rates is None:
            return np.arange(len(self._target))
        order = np.random.default_rng([seed, epoch, 2]).permutation(len(self._rates))
        passed = np.floor(np.cumsum(self._rates[order], dtype=np.float64) + 1e-6).astype(np.int64)
        return np.repeat(order, np.diff(passed, prepend=0))

    def _cut(self, order: Ids) -> list[Ids]:
        """Cut ordered rows into the longest runs that keep to `max_tokens` on both sides."""
        source, target = self._source[order], self._target[order]
        batches, start = [], 0
        while start < len(order):
            most = self.max_tokens // max(int(source[start]), int(target[start])) + 1
            window = slice(start, start + min(most, self.max_rows))
            longest = np.maximum.accumulate(np.maximum(source[window], target[window]))
            fits = longest * np.arange(1, len(longest) + 1) <= self.max_tokens
            count = len(fits) if fits.all() else int(fits.argmin())
            batches.append(order[start : start + count])
            start += count
        return batches


class Shuffled:
    """Rows of a dataset in batches of one size, each row once an epoch.

    Args:
        count: rows of the dataset.
        batch_size: rows in a batch; the last batch of an epoch is left out unless it is full.

    >>> rows = Shuffled(5, batch_size=2, seed=0)
    >>> len(rows), len({*rows.rows(0).tolist(), *rows.rows(1).tolist()})
    (2, 4)
    """

    def __init__(self, count: int, *, batch_size: int, seed: int) -> None:
        self.count, self.batch_size, self.seed = count, min(batch_size, count), seed
        self._shuffled: tuple[int, npt.NDArray[np.int64]] = (-1, np.empty(0, np.int64))

    def __len__(self) -> int:
        """Batches in an epoch."""
        return self.count // self.batch_size

    def rows(self, step: int) -> npt.NDArray[np.int64]:
        """Return the rows in the batch of a step, from 0, (batch,)."""
        epoch, number = divmod(step, len(self))
        if self._shuffled[0] != epoch:
            draw = np.random.default_rng([self.seed, epoch])
            self._shuffled = (epoch, draw.permutation(self.count))
        start = number * self.batch_size
        return np.sort(self._shuffled[1][start : start + self.batch_size])


class Batches:
    """The endless stream of training batches over a token store, in the order of a `Plan`.

    Args:
        eos_id: the token that ends every text.
        source_end: the one that ends a source, where that is another.
        long_sources: whether sources are so much longer than targets that rows share a batch by the
            length of their sources first.
        rates: as those of `Plan`.
    """

    def __init__(
        self,
        store: TokenStore,
        *,
        max_tokens: int,
        pad_id: int,
        eos_id: int,
        source_end: int | None = None,
        long_sources: bool = False,
        rates: Rates | None = None,
        seed: int = 0,
    ) -> None:
        self.store, self.pad_id, self.eos_id = store, pad_id, eos_id
        self.source_end = eos_id if source_end is None else source_end
        source, target = store.lengths()
        self._source = source.astype(np.int32) + 1  # each with its end token
        self._target = target.astype(np.int32) + 1
        sides = (self._target, self._source) if long_sources else (self._source, self._target)
        self.plan = Plan(*sides, max_tokens=max_tokens, rates=rates, seed=seed)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return len(self.plan)

    def at(self, step: int) -> Batch:
        """Return the batch of a step (from 0), the same whatever was asked for before."""
        pairs = self.plan.at(step)
        tokens, starts = self.store.tokens, self.store.starts[pairs]
        source_lengths, target_lengths = self._source[pairs] - 1, self._target[pairs] - 1
        source, with_end = _gather(tokens, starts, source_lengths, self.pad_id, self.source_end)
        target, target_with_end = _gather(
            tokens, starts + source_lengths, target_lengths, self.pad_id, self.eos_id
        )
        return Batch(source, target, with_end, target_with_end, int(target_with_end.sum()))


def _split_largest(batches: list[Ids], number: int) -> None:
    """Halve the batches with most pairs, in place, until there are `count`."""
    while len(batches) < number:
        largest = max(range(len(batches)), key=lambda i: len(batches[i]))
        pairs = batches[largest]
        batches[largest] = pairs[: len(pairs) // 2]
        batches.append(pairs[len(pairs) // 2 :])


def _gather(
    tokens: Ids, starts: Ids, lengths: Ids, pad_id: int, eos_id: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Run of `tokens` as padded rows that end in `eos_id`, and their lengths with it."""
    columns = np.arange(int(lengths.max()) + 1)
    inside = columns < lengths[:, None]  # (batch, length)
    rows: npt.NDArray[np.int64] = np.full(inside.shape, pad_id, np.int64)
    rows[inside] = tokens[(starts[:, None] + columns)[inside]]
    rows[np.arange(len(rows)), lengths] = eos_id
    return torch.from_numpy(rows), torch.from_numpy(lengths.astype(np.int64) + 1)
