"""Positions that no other position sees: words struck out of a source that keeps its place."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Call, Mask
from regard.attention.kernels import run
from regard.attention.record import Attention
from regard.errors import BadArgumentError
from regard.inspection.trace_data import Edit


class Hidden(Mask):
    """All keys but these; with `own`, the query at each of those positions still sees itself."""

    def __init__(self, keys: Sequence[int], own: bool) -> None:
        self.keys, self.own = tuple(keys), own

    def tile(self, queries: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.isin(keys, torch.tensor(self.keys, device=keys.device))
        seen = (~hidden).expand(len(queries), len(keys))
        return (seen | (queries[:, None] == keys) if self.own else seen)[None, None]


def hide(attention: Attention, hidden: Mask) -> Attention:
    """The same attention under one more mask."""
    mask = hidden if attention.mask is None else attention.mask & hidden
    return attention._replace(mask=mask)


@dataclass(frozen=True)
class HiddenSource:
    """Positions of an encoder–decoder's source that are hidden in every layer and head."""

    positions: tuple[int, ...] = ()

    def __call__(self, tap: str, call: Call) -> Call:
        """The attention of a tap as it is without them."""
        own, cross = tap.startswith("encoder"), tap.endswith("cross")
        if not self.positions or not (own or cross):
            return call
        inputs = hide(call.inputs, Hidden(self.positions, own))
        return Call(inputs, run("auto", inputs, False)[0], None)

    def under(self, edit: Edit) -> Edit:
        """The edit of a run in which they are hidden."""

        def both(tap: str, call: Call) -> Tensor:
            call = self(tap, call)
            replaced = edit(tap, call)
            return call.output if replaced is None else replaced

        return both if self.positions else edit


def check_hidden(positions: Sequence[int], length: int) -> tuple[int, ...]:
    """The positions in order, each once.

    Raises:
        BadArgumentError: one that a source of this length does not have.
    """
    for position in positions:
        if not 0 <= position < length:
            raise BadArgumentError(
                f"hidden positions must be from 0 to {length - 1}; got {position}."
            )
    return tuple(sorted(set(positions)))
