"""Texts for an encoder as batches: token ids with special tokens, and what each should give."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.data import Plan, TokenStore
from regard.data.batches import Tensors
from regard.data.store import Ids
from regard.engine.reading import Batch, Tokens, inputs_of, kinds_of_tokens
from regard.text import Tokenizer
from regard.text.cutting import cut

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig

_AT_ONCE = 4096
BatchT = TypeVar("BatchT")


@dataclass(frozen=True)
class EncodedBatch(Tensors):
    """Texts as an encoder takes them, and the numbers that each should give."""

    inputs: Batch
    targets: list[NDArray[np.int64]]  # one array a text
    rows: Ids  # (batch,): which rows of the store they are
    num_tokens: int  # without padding


def output_of(model: nn.Module, inputs: Batch) -> Tensor:
    """Return what a model or its head gives for texts, as float32."""
    inputs = inputs.to(next(model.parameters()).device)
    return cast(Tensor, model(**inputs_of(model, inputs)).float())


class StoredBatches(ABC, Generic[BatchT]):
    """A token store as batches in the order of a `Plan`, which goes by the lengths of `sides`."""

    sides = (0, 1)

    def __init__(
        self,
        store: TokenStore,
        config: "ModelConfig",
        *,
        max_tokens: int,
        batch_size: int,
        seed: int,
    ) -> None:
        self.store, self.config = store, config
        first, second = (store.lengths()[side].astype(np.int32) for side in self.sides)
        self.plan = Plan(first, second, max_tokens=max_tokens, max_rows=batch_size, seed=seed)

    def __len__(self) -> int:
        return len(self.plan)

    def at(self, step: int) -> BatchT:
        return self.batch(self.plan.at(step))

    @abstractmethod
    def batch(self, rows: Ids) -> BatchT:
        """Return the batch of these rows of the store."""


class EncodedTexts(StoredBatches[EncodedBatch]):
    """A token store of encoded texts, each with its targets behind it.

    The target side of the store has the length of the first text with its special tokens, which
    parts the two kinds of tokens of a pair, and then the text's targets.
    """

    sides = (0, 0)

    def batch(self, rows: Ids) -> EncodedBatch:
        pairs = [self.store[int(row)] for row in rows]
        texts = [ids for ids, _ in pairs]
        inputs = padded(texts, self.config, first=[int(target[0]) for _, target in pairs])
        targets = [target[1:].astype(np.int64) for _, target in pairs]
        return EncodedBatch(inputs, targets, np.asarray(rows), sum(map(len, texts)))


def padded(
    texts: Sequence[Ids], config: "ModelConfig", *, first: Sequence[int] | None = None
) -> Batch:
    """Texts of token ids as a model takes them.

    Args:
        first: the length of the first text of each; None: there is no second one.
    """
    lengths = np.array([len(ids) for ids in texts])
    columns = np.arange(lengths.max())
    inside = columns < lengths[:, None]  # (batch, length)
    ids = np.full(inside.shape, config.pad_id or 0, np.int64)
    ids[inside] = np.concatenate(texts)
    second = inside & (columns >= (lengths if first is None else np.array(first))[:, None])
    return Batch(
        torch.from_numpy(ids),
        torch.from_numpy(second.astype(np.int64)) if kinds_of_tokens(config) > 1 else None,
        torch.from_numpy(inside),
    )


def encode_texts(
    texts: Iterable[tuple[str, str | None]], tokenizer: Tokenizer, max_length: int
) -> Iterator[Tokens]:
    """Yield the tokens of texts, or of pairs of texts, cut to `max_length`."""
    texts = iter(texts)
    while chunk := list(islice(texts, _AT_ONCE)):
        for encoding in tokenizer.inputs_batch(chunk):
            ids, kinds = encoding.ids, encoding.type_ids
            truncated = len(ids) > max_length
            if truncated:
                places = cut(encoding, max_length, tokenizer.truncation_side)
                ids, kinds = [ids[k] for k in places], [kinds[k] for k in places]
            yield Tokens(ids, kinds, truncated)


def write_store(
    path: Path,
    rows: Iterable[tuple[Sequence[int], int, Sequence[int]]],
    *,
    vocab_size: int,
    targets: int,
    max_length: int,
) -> TokenStore:
    """Store (ids, length of the first text, targets), whose targets are below `targets`."""
    return TokenStore.write(
        path,
        ((ids, [first, *numbers]) for ids, first, numbers in rows),
        vocab_size=(vocab_size, max(targets, max_length + 1)),
    )
