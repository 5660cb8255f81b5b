"""Blocks of running text as batches: a stream of tokens, cut afresh in each epoch."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from regard.data.documents import Piece
from regard.data.store import Ids
from regard.text import Tokenizer

_AT_ONCE = 64  # pieces that are encoded together


@dataclass(frozen=True)
class BlockBatch:
    """Blocks and the tokens that follow each of theirs; all are (batch, block)."""

    ids: Tensor
    targets: Tensor
    documents: Tensor | None  # which document of its block a token is in; None: one in each

    def to(self, device: torch.device | str) -> "BlockBatch":
        documents = self.documents
        return replace(
            self,
            ids=self.ids.to(device, non_blocking=True),
            targets=self.targets.to(device, non_blocking=True),
            documents=None if documents is None else documents.to(device, non_blocking=True),
        )


class Blocks:
    """The endless stream of batches over a stream of tokens.

    An epoch cuts the stream into blocks from an offset of its own and takes them in an order of its
    own, so each token is a target once. Both follow from the seed and the epoch, and a batch
    from these and the step.

    Args:
        tokens: (all tokens,), more than `block` of them.
        separator: the token that begins a document; a block may hold several, and tells their
            tokens apart. None: the stream is one document.
    """

    def __init__(
        self, tokens: Ids, *, block: int, batch_size: int, separator: int | None, seed: int
    ) -> None:
        self.tokens, self.block, self.separator, self.seed = tokens, block, separator, seed
        self.count = max(1, (len(tokens) - block) // block)
        self.batch_size = min(batch_size, self.count)
        self._offsets = min(block, len(tokens) - self.count * block)
        self._planned: tuple[int, NDArray[np.int64]] = (-1, np.empty(0, np.int64))

    def __len__(self) -> int:
        """Batches in an epoch; blocks that do not fill one are left to the next epoch."""
        return self.count // self.batch_size

    def at(self, step: int) -> BlockBatch:
        """The batch of a step, from 0."""
        epoch, number = divmod(step, len(self))
        if self._planned[0] != epoch:
            draw = np.random.default_rng([self.seed, epoch])
            offset = draw.integers(self._offsets)
            self._planned = (epoch, offset + self.block * draw.permutation(self.count))
        rows = slice(number * self.batch_size, (number + 1) * self.batch_size)
        return cut_blocks(self.tokens, self._planned[1][rows], self.block, self.separator)


def cut_blocks(
    tokens: Ids, starts: NDArray[np.int64], block: int, separator: int | None
) -> BlockBatch:
    """The blocks that begin at `starts`, (batch,)."""
    window = np.stack([tokens[start : start + block + 1] for start in starts]).astype(np.int64)
    documents = None
    if separator is not None:
        begins = window[:, :-1] == separator
        if begins[:, 1:].any():
            documents = torch.from_numpy(begins.cumsum(1))
    whole = torch.from_numpy(window)
    return BlockBatch(whole[:, :-1], whole[:, 1:], documents)


def even_starts(tokens: Ids, block: int, most: int) -> NDArray[np.int64]:
    """Return starts of blocks side by side, of at most `most` tokens, evenly spread."""
    count = (len(tokens) - 1) // block
    wanted = max(1, min(count, most // block))
    return np.unique(np.linspace(0, count - 1, wanted).round().astype(np.int64)) * block


def blocks(pieces: Iterable[Piece], tokenizer: Tokenizer, max_length: int) -> Iterator[list[int]]:
    """The ids of documents in blocks of at most `max_length`, special tokens included; a block
    ends before a word, if there is one to end before."""
    around = tokenizer.inputs("a").ids
    [letter] = tokenizer.encode("a")[:1]
    at = around.index(letter)
    before, after = around[:at], around[at + len(tokenizer.encode("a")) :]
    room = max_length - len(before) - len(after)
    begins = word_starts(tokenizer)
    waiting: list[int] = []
    document = -1
    source = iter(pieces)
    while chunk := list(islice(source, _AT_ONCE)):
        encoded = tokenizer.encode_batch([one_line(piece.text) for piece in chunk])
        for piece, ids in zip(chunk, encoded, strict=True):
            if piece.document != document and waiting:
                yield [*before, *waiting, *after]
                waiting = []
            document = piece.document
            waiting += ids
            start = 0
            while len(waiting) - start > room:
                end = start + room
                whole = next((k for k in range(end, start, -1) if begins[waiting[k]]), end)
                yield [*before, *waiting[start:whole], *after]
                start = whole
            waiting = waiting[start:]
    if waiting:
        yield [*before, *waiting, *after]


def word_starts(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Return True for each token that begins a word, (vocab,)."""
    return np.array(
        [tokenizer.starts_word(token) for token in tokenizer.tokens(range(tokenizer.vocab_size))]
    )


def one_line(text: str) -> str:
    """Return a text with single spaces for its line breaks."""
    return " ".join(text.split())
