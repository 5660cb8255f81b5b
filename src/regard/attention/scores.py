"""Score functions: how similar is each query to each key? Any function of the two will do."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from regard.arrays import Array, arrays_of
from regard.errors import BadArgumentError, unknown
from regard.shapes import Float

Score = Callable[[Array, Array], Array]
"""(..., queries, query_dim) and (..., keys, key_dim) to scores (..., queries, keys)."""


def dot(
    query: Float[Array, "*heads queries head_dim"], key: Float[Array, "*heads keys head_dim"]
) -> Float[Array, "*heads queries keys"]:
    """q · k (Luong et al. 2015, section 3.1).

    (…, queries, head_dim) and (…, keys, head_dim) → (…, queries, keys).

    >>> query, key = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    >>> dot(query, key)
    tensor([[11.,  2.]])
    """
    return query @ key.mT


def scaled_dot(
    query: Float[Array, "*heads queries head_dim"], key: Float[Array, "*heads keys head_dim"]
) -> Float[Array, "*heads queries keys"]:
    """q · k / √head_dim, the Transformer's (Vaswani et al. 2017, equation 1).

    (…, queries, head_dim) and (…, keys, head_dim) → (…, queries, keys).

    >>> query, key = torch.tensor([[1.0, 2.0, 0.0, 0.0]]), torch.eye(4)
    >>> scaled_dot(query, key)
    tensor([[0.5000, 1.0000, 0.0000, 0.0000]])
    """
    return (query * query.shape[-1] ** -0.5) @ key.mT


def cosine(
    query: Float[Array, "*heads queries head_dim"], key: Float[Array, "*heads keys head_dim"]
) -> Float[Array, "*heads queries keys"]:
    """Return the cosine of the angle between q and k (Graves et al. 2014, equation 6).

    (…, queries, head_dim) and (…, keys, head_dim) → (…, queries, keys).

    >>> query, key = torch.tensor([[3.0, 4.0]]), torch.tensor([[4.0, -3.0], [6.0, 8.0]])
    >>> cosine(query, key)
    tensor([[0., 1.]])
    """
    return unit(query) @ unit(key).mT


def average(
    query: Float[Array, "*heads queries query_dim"], key: Float[Array, "*heads keys key_dim"]
) -> Float[Array, "*heads queries keys"]:
    """Zero everywhere: the keys that the mask allows weigh the same, unless a bias decides.

    (…, queries, query_dim) and (…, keys, key_dim) → (…, queries, keys).

    >>> average(torch.ones(1, 2), torch.ones(3, 2))
    tensor([[0., 0., 0.]])
    """
    return arrays_of(query).library.zeros(
        (*query.shape[:-1], key.shape[-2]), dtype=query.dtype, device=query.device
    )


@dataclass(frozen=True)
class scaled:
    """factor · q·k: scaled_dot with another factor than 1 / √head_dim, as some checkpoints have.

    >>> query, key = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    >>> scaled(0.5)(query, key)
    tensor([[5.5000, 1.0000]])
    """

    factor: float

    def __call__(self, query: Array, key: Array) -> Array:
        return (query * self.factor) @ key.mT


@dataclass(frozen=True)
class capped:
    """cap · tanh(score / cap): scores that cannot pass the cap (Gemma 2, 2024, section 2).

    >>> query, key = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    >>> capped(dot, cap=5.0)(query, key)
    tensor([[4.8787, 1.8997]])
    """

    score: Score
    cap: float

    def __call__(self, query: Array, key: Array) -> Array:
        scores = self.score(query, key) / self.cap
        return self.cap * arrays_of(query).library.tanh(scores)


@dataclass(frozen=True, eq=False)
class general:
    """q · W k with a learned matrix (Luong et al. 2015, section 3.1).

    `matrix` is (query_dim, key_dim), or (heads, query_dim, key_dim) for one matrix per head.

    >>> query, key = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    >>> swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> general(swap)(query, key)
    tensor([[10.,  1.]])
    """

    matrix: Array

    def __call__(self, query: Array, key: Array) -> Array:
        return query @ self.matrix @ key.mT


@dataclass(frozen=True, eq=False)
class additive:
    """v · tanh(W q + U k), one hidden layer (Bahdanau et al. 2015, appendix A.1.2).

    `query_weight` W is (hidden, query_dim), `key_weight` U is (hidden, key_dim), `vector` v is
    (hidden). None in place of W or U says that it is applied already: a decoder that attends step
    by step projects its keys once. The hidden layer is (..., queries, keys, hidden): long inputs
    want the blocked kernel.

    >>> query, key = torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    >>> additive(torch.eye(2), torch.eye(2), torch.ones(2))(query, key)
    tensor([[0.0000, 1.5232]])
    """

    query_weight: Array | None
    key_weight: Array | None
    vector: Array

    def __call__(self, query: Array, key: Array) -> Array:
        query = query if self.query_weight is None else query @ self.query_weight.mT
        key = key if self.key_weight is None else key @ self.key_weight.mT
        # (..., queries, 1, hidden) and (..., 1, keys, hidden)
        hidden = query[..., :, None, :] + key[..., None, :, :]
        return arrays_of(query).library.tanh(hidden) @ self.vector


@dataclass(frozen=True, eq=False)
class gaussian:
    """-|q - k|² / (2 h²): attention is then Nadaraya-Watson kernel regression with bandwidth h.

    `bandwidth` is in the units of query and key; a tensor of it can be learned.

    >>> query, key = torch.tensor([[0.0]]), torch.tensor([[0.0], [1.0], [2.0]])
    >>> gaussian(bandwidth=0.5)(query, key)
    tensor([[-0., -2., -8.]])
    """

    bandwidth: int | float | Array = 1.0

    def __call__(self, query: Array, key: Array) -> Array:
        # Differences, not |q|² - 2q·k + |k|²: near neighbors decide here, and they would cancel.
        difference = query[..., :, None, :] - key[..., None, :, :]  # (..., queries, keys, head_dim)
        return (difference * difference).sum(-1) / (-2 * self.bandwidth**2)


def in_dtype(score: Score, dtype: str) -> Score | None:
    """Return the score with its parameters in the dtype of that name; None for an unknown
    callable."""
    if not is_dataclass(score):
        return score if score in NAMED.values() else None
    changed: dict[str, Any] = {}
    for field in fields(score):
        parameter = getattr(score, field.name)
        if hasattr(parameter, "shape"):
            changed[field.name] = arrays_of(parameter).converted(parameter, dtype)
        elif callable(parameter):
            inner = in_dtype(parameter, dtype)
            if inner is None:
                return None
            changed[field.name] = inner
    return cast(Score, replace(cast(Any, score), **changed)) if changed else score


NAMED: dict[str, Score] = {
    "dot": dot,
    "scaled_dot": scaled_dot,
    "cosine": cosine,
    "gaussian": gaussian(),
    "average": average,
}
NEEDS_PARAMETERS = {
    "general": "general(matrix)",
    "additive": "additive(query_weight, key_weight, vector)",
}


def find_score(score: str | Score) -> Score:
    """Return the score of that name; a callable as it is. Raises BadArgumentError for other
    names."""
    if callable(score):
        return score
    if score in NAMED:
        return NAMED[score]
    if score in NEEDS_PARAMETERS:
        raise BadArgumentError(
            f"score {score!r} has parameters of its own; pass score={NEEDS_PARAMETERS[score]}."
        )
    raise unknown("score", score, [*NAMED, *NEEDS_PARAMETERS, "a callable"])


def score_of(config: Any) -> Score:
    """Return the score of a model's config: its name, another width to scale by, and a cap."""
    width, cap = config.score_width, config.score_cap
    score = find_score(config.score) if width is None else scaled(width**-0.5)
    return score if cap is None else capped(score, cap)


def unit(vectors: Array) -> Array:
    """Vectors (…, dim) at length one; the zero vector stays zero, with a finite gradient."""
    if isinstance(vectors, np.ndarray):
        return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    normalize = arrays_of(vectors).library.nn.functional.normalize
    return normalize(vectors, dim=-1, eps=1e-12)
