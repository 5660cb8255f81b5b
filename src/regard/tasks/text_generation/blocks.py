"""Blocks of running text as batches, cut afresh in each epoch, and the words hidden in them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from regard.data.batches import Tensors
from regard.data.documents import Piece
from regard.data.store import Ids
from regard.text import Tokenizer
from regard.training.encoded import EncodedBatch

_AT_ONCE = 64  # pieces that are encoded together


@dataclass(frozen=True)
class BlockBatch(Tensors):
    """Blocks and the tokens that follow each of theirs; all are (batch, block)."""

    ids: Tensor
    targets: Tensor
    documents: Tensor | None  # which document of its block a token is in; None: one in each


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
    """Return the blocks that begin at `starts`, (batch,)."""
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
    blocks = max(1, min(count, most // block))
    return np.unique(np.linspace(0, count - 1, blocks).round().astype(np.int64)) * block


def blocks(pieces: Iterable[Piece], tokenizer: Tokenizer, max_length: int) -> Iterator[list[int]]:
    """Yield the ids of documents in blocks of at most `max_length`, special tokens included; a
    block ends before a word, if there is one to end before."""
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


MASKED, CHANGED = 0.8, 0.1  # of the chosen tokens; the others stay as they are


@dataclass(frozen=True)
class MaskedBatch:
    """Texts with hidden words, and the tokens that stood there."""

    inputs: EncodedBatch
    chosen: Tensor  # (batch, length), True where the model has to predict
    targets: Tensor  # (masked,), in the order of `chosen`


@dataclass(frozen=True)
class Masking:
    """Devlin et al. 2019, section 3.1, with whole words, as in the authors' later models: of the
    chosen tokens 80 % become the mask, 10 % a random token and 10 % stay.

    Words are chosen in random order until `share` of the text's tokens are; one that would exceed
    it is passed over, unless it is the first.
    """

    begins: NDArray[np.bool_]  # (vocab,), whether a token begins a word
    special: NDArray[np.bool_]  # (vocab,), tokens that are never hidden, nor put in
    mask_id: int
    share: float
    seed: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, *, share: float, seed: int) -> "Masking":
        """Return a masking of texts in this tokenizer's ids."""
        every = tokenizer.tokens(range(tokenizer.vocab_size))
        reserved = set(tokenizer.special_names()) | set(tokenizer.special.values())
        return cls(
            begins=np.array([tokenizer.starts_word(token) for token in every]),
            special=np.array([token in reserved for token in every]),
            mask_id=tokenizer.special_id("mask"),
            share=share,
            seed=seed,
        )

    def masked(self, batch: EncodedBatch, step: int, *, part: int = 0) -> MaskedBatch:
        """Return a batch with hidden words, which follow from the seed, the step and the part.

        Args:
            part: 0 to train, another number for what must differ from it.
        """
        draw = np.random.default_rng([self.seed, step, 2, part])
        ids = batch.inputs.ids.numpy()
        chosen = np.zeros(ids.shape, np.bool_)
        words = batch.inputs.attention_mask.numpy() & ~self.special[ids]
        for row in range(len(ids)):
            places = np.flatnonzero(words[row])
            if len(places):
                chosen[row, self._choose(ids[row], places, draw)] = True
        hidden = ids.copy()
        dice = draw.random(ids.shape)
        hidden[chosen & (dice < MASKED)] = self.mask_id
        changed = chosen & (dice >= MASKED) & (dice < MASKED + CHANGED)
        hidden[changed] = draw.choice(np.flatnonzero(~self.special), int(changed.sum()))
        return MaskedBatch(
            replace(batch, inputs=replace(batch.inputs, ids=torch.from_numpy(hidden))),
            torch.from_numpy(chosen),
            torch.from_numpy(ids[chosen]),
        )

    def _choose(
        self, ids: NDArray[np.int64], own: NDArray[np.int64], draw: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the positions of the chosen words among `own`, those of a text's tokens."""
        starts = self.begins[ids[own]]
        starts[0] = True
        # A special token, such as that of the unknown word, ends the word before it.
        starts[1:] |= np.diff(own) > 1
        words = np.split(own, np.flatnonzero(starts)[1:])
        most = max(1, round(self.share * len(own)))
        chosen: list[NDArray[np.int64]] = []
        count = 0
        for number in draw.permutation(len(words)):
            word = words[number]
            if count and count + len(word) > most:
                continue
            chosen.append(word)
            count += len(word)
            if count >= most:
                break
        return np.concatenate(chosen)
