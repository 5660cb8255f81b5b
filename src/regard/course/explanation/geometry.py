"""Planes of one head: its arrows, and a token's output as weighted values tip to tail."""

import numpy as np
from numpy.typing import NDArray

from regard.course.explanation.record import Explanation
from regard.course.explanation.vectors import principal
from regard.errors import BadArgumentError
from regard.figures.geometry import Geometry, Plane, Point

Floats = NDArray[np.float64]


def geometry(explanation: Explanation, *, head: int = 0, spotlight: int = 0) -> Geometry:
    """Return the planes of embeddings, of query and key, and of values, each through its origin.

    >>> from regard.course.explanation import explain_vectors
    >>> planes = geometry(explain_vectors(["a", "b"], torch.eye(2)), spotlight=1)
    >>> type(planes).__name__
    'Geometry'

    Args:
        head: which one.
        spotlight: the index of the token whose output is followed.

    Raises:
        BadArgumentError: a head or a token that is not there.
    """
    settings, tokens = explanation.settings, explanation.tokens
    if not 0 <= head < settings.heads:
        raise BadArgumentError(f"there are heads 0 to {settings.heads - 1}; got {head}.")
    if not 0 <= spotlight < len(tokens):
        raise BadArgumentError(f"there are tokens 0 to {len(tokens) - 1}; got {spotlight}.")
    key_head = settings.key_head(head)

    def matrix(name: str, of_head: int = 0) -> Floats:
        return explanation[name].array[of_head]

    rotated = "rotated_query" in explanation
    query = matrix("rotated_query" if rotated else "query", head)
    key = matrix("rotated_key" if rotated else "key", key_head)
    embedded = matrix("positions" if "positions" in explanation else "vectors")
    value, attended = matrix("value", key_head), matrix("attended", head)[[spotlight]]
    weights = matrix("weights", head)[spotlight]
    planes = [
        _plane("embeddings", {"embedding": embedded}),
        _plane("query and key", {"query": query, "key": key}),
        _plane("value", {"value": value, "attended": attended}),
    ]
    arrows = np.array(planes[-1].arrows["value"], np.float64)
    tips = (weights[:, None] * arrows).cumsum(0)
    return Geometry(
        head=head,
        spotlight=spotlight,
        token=tokens[spotlight],
        planes=planes,
        weights=weights.tolist(),
        path=[(0.0, 0.0), *_points(tips)],
    )


def _plane(name: str, spaces: dict[str, Floats]) -> Plane:
    """Return the plane in which the arrows of one space are longest; a space of two is its own
    plane."""
    every = np.concatenate(list(spaces.values()))
    width = every.shape[1]
    if width <= 2:
        onto = np.eye(width, 2)
        share = 1.0
    else:
        onto = principal(every, 2)
        total = float((every**2).sum())
        share = float(((every @ onto) ** 2).sum()) / total if total else 1.0
    return Plane(name, share, {arrow: _points(vectors @ onto) for arrow, vectors in spaces.items()})


def _points(rows: Floats) -> list[Point]:
    return [(x, y) for x, y in rows.tolist()]
