"""Padding of packed models, by the rule of `attention/padding.py`: in numpy, and as operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from regard.runtime.graph import Graph


def not_padding(ids: NDArray[Any], pad_id: int | None) -> NDArray[np.bool_]:
    """True for a token, False for padding: where ids are not `pad_id`, of a model that has one."""
    return np.ones(ids.shape, bool) if pad_id is None else ids != pad_id


def add_not_padding(graph: Graph, ids: str, pad_id: int, dtype: int) -> str:
    """1 for a token, 0 for padding, (batch, length)."""
    padding = graph.op("Equal", ids, graph.integer(pad_id))
    return graph.op("Cast", graph.op("Not", padding), to=dtype)
