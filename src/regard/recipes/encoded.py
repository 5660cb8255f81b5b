"""Texts for an encoder as batches: token ids with special tokens, and what each should give."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from regard.data import Plan, TokenStore
from regard.data.store import Ids
from regard.recipes.examples import Example
from regard.tasks.reading import Batch, Tokens
from regard.text import Tokenizer
from regard.text.cutting import cut

_AT_ONCE = 4096


@dataclass(frozen=True)
class EncodedBatch:
    """Texts as an encoder takes them, and the numbers that each should give."""

    inputs: Batch
    targets: list[NDArray[np.int64]]  # one array a text
    rows: Ids  # (batch,): which rows of the store they are
    num_tokens: int  # without padding

    def to(self, device: torch.device | str) -> "EncodedBatch":
        return replace(self, inputs=self.inputs.to(device))


class EncodedTexts:
    """A token store of encoded texts, each with its targets behind it, in the order of a `Plan`.

    The target side of the store has the length of the first text with its special tokens, which
    parts the two kinds of tokens of a pair, and then the text's targets.

    Args:
        pad_id: of the model; token_types: whether it tells a second text from a first.
    """

    def __init__(
        self,
        store: TokenStore,
        *,
        max_tokens: int,
        batch_size: int,
        pad_id: int,
        token_types: bool,
        seed: int,
    ) -> None:
        self.store, self.pad_id, self.token_types = store, pad_id, token_types
        lengths = store.lengths()[0].astype(np.int32)
        self.plan = Plan(lengths, lengths, max_tokens=max_tokens, max_rows=batch_size, seed=seed)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return len(self.plan)

    def at(self, step: int) -> EncodedBatch:
        """The batch of a step, from 0."""
        rows = self.plan.at(step)
        return self.batch(rows)

    def batch(self, rows: Ids) -> EncodedBatch:
        """The batch of these rows of the store."""
        pairs = [self.store[int(row)] for row in rows]
        lengths = np.array([len(source) for source, _ in pairs])
        first = np.array([int(target[0]) for _, target in pairs])
        columns = np.arange(lengths.max())
        inside = columns < lengths[:, None]  # (batch, length)
        ids = np.full(inside.shape, self.pad_id, np.int64)
        ids[inside] = np.concatenate([source for source, _ in pairs])
        second = (columns >= first[:, None]) & inside
        inputs = Batch(
            torch.from_numpy(ids),
            torch.from_numpy(second.astype(np.int64)) if self.token_types else None,
            torch.from_numpy(inside),
        )
        targets = [target[1:].astype(np.int64) for _, target in pairs]
        return EncodedBatch(inputs, targets, np.asarray(rows), int(lengths.sum()))


def encode_examples(
    examples: Iterable[Example], tokenizer: Tokenizer, max_length: int
) -> Iterator[tuple[Example, Tokens, int]]:
    """Each example with its tokens, cut to `max_length`, and the length of its first text."""
    examples = iter(examples)
    while chunk := list(islice(examples, _AT_ONCE)):
        encodings = tokenizer.inputs_batch([(each.text, each.pair) for each in chunk])
        for example, encoding in zip(chunk, encodings, strict=True):
            ids, kinds = encoding.ids, encoding.type_ids
            truncated = len(ids) > max_length
            if truncated:
                kept = cut(encoding, max_length)
                ids, kinds = [ids[k] for k in kept], [kinds[k] for k in kept]
            yield example, Tokens(ids, kinds, truncated), len(kinds) - sum(kinds)


def write_store(
    path: Path,
    rows: Iterable[tuple[Sequence[int], int, Sequence[int]]],
    *,
    vocab_size: int,
    targets: int,
    max_length: int,
) -> TokenStore:
    """Stores (ids, length of the first text, targets), whose targets are below `targets`."""
    return TokenStore.write(
        path,
        ((ids, [first, *numbers]) for ids, first, numbers in rows),
        vocab_size=(vocab_size, max(targets, max_length + 1)),
    )
