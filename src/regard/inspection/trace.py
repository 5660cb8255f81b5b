"""What a run left behind: each attention layer's query, key and mask, and whose they are."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from torch import Tensor

from regard.attention import Call
from regard.attention.scores import unknown
from regard.errors import RegardError
from regard.inspection.answers import AxisInfo, GenerationInfo, Receipt
from regard.inspection.tap import Tap

Edit = Callable[[str, Call], Tensor | None]
"""Hears each attention of a run, by tap name; a tensor that it returns replaces the output."""


@dataclass(eq=False)
class Trace(Mapping[str, Tap]):
    """The attention layers of one run by tap name, in the order in which they ran.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> trace["decoder.layers.2.cross"].weights(head=0).shape
    torch.Size([8, 6])
    """

    taps: dict[str, Tap]
    axes: dict[str, AxisInfo]  # the sequences that taps name as their queries and keys
    model_name: str
    task: str  # "translation", "generation", "encoding" or "vision"
    text: str = ""
    output: Any = None  # what the model returned
    generation: GenerationInfo | None = None
    # Runs the same inputs again under an edit and gives the logits, (batch, positions, vocab);
    # None where the model is not at hand, as for a trace that was loaded, or has no logits.
    rerun: Callable[[Edit], Tensor] | None = None
    output_ids: list[int] | None = None  # of the tokens that generation's steps gave
    # The names of the vocabulary's entries, to speak of logits.
    token_of: Callable[[int], str] | None = None
    notes: list[str] = field(default_factory=list)  # what a reader should know of this trace

    def __getitem__(self, name: str) -> Tap:
        if name not in self.taps:
            raise RegardError(unknown("tap", name, list(self.taps)))
        return self.taps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.taps)

    def __len__(self) -> int:
        return len(self.taps)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything but the model into one .safetensors file; `Trace.load` reads it."""
        from regard.inspection.storage import save_trace

        save_trace(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Trace":
        """The trace that `save` wrote. Raises RegardError for a file that is none, or not whole."""
        from regard.inspection.storage import load_trace

        return load_trace(path)

    def to_npz(
        self,
        path: str | os.PathLike[str],
        tap: str,
        head: int | None = None,
        queries: slice = slice(None),
        keys: slice = slice(None),
    ) -> None:
        """Writes a tile of weights with its tokens for NumPy; all heads if none is named."""
        from regard.inspection.storage import save_tile

        save_tile(self, path, tap, head, queries, keys)

    @cached_property
    def receipt(self) -> Receipt:
        """How exact the maps are: the worst of all taps' receipts."""
        receipts = [tap.receipt for tap in self.taps.values()]
        return Receipt(
            row_sum_error=max(receipt.row_sum_error for receipt in receipts),
            difference=max(receipt.difference for receipt in receipts),
            rows=sum(receipt.rows for receipt in receipts),
            dtype=receipts[0].dtype,
        )
