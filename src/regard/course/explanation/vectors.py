"""Explaining attention over any vectors, with matrices or without a single parameter."""

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, arrays_of
from regard.attention import Causal, Mask, Score, Window
from regard.attention.masks import as_mask
from regard.attention.scores import find_score
from regard.course.explanation.inputs import Projection, Setup, double
from regard.course.explanation.record import Explanation
from regard.course.explanation.steps import explained
from regard.errors import BadArgumentError, unknown
from regard.models.configs.tables import frequencies

MASKS = ("none", "causal", "window")


def explain_vectors(
    tokens: list[str],
    vectors: Array,
    *,
    heads: int = 1,
    head_dim: int | None = None,
    score: str | Score = "scaled_dot",
    mask: str | Mask | Array = "none",
    window: int = 2,
    temperature: float = 1.0,
    positions: bool = False,
    query: Array | None = None,
    key: Array | None = None,
    value: Array | None = None,
    output: Array | None = None,
    key_tokens: list[str] | None = None,
    key_vectors: Array | None = None,
    source: str = "vectors",
    notes: list[str] | None = None,
) -> Explanation:
    """Every step of attention over these vectors, in float64.

    >>> explanation = explain_vectors(["a", "b"], torch.eye(2), score="dot")
    >>> numpy.array(explanation["weights"].values).round(3)
    array([[[0.731, 0.269],
            [0.269, 0.731]]])

    Args:
        tokens, vectors: the words and (words, d_model), one row for each.
        heads, head_dim: how many, and how wide each; d_model / heads if not given.
        score: a name or function that `regard.attend` takes.
        mask: "none", "causal", "window" (`window` tokens to each side), a Mask or boolean tensor.
        temperature: scores are divided by it.
        positions: adds the sinusoids of Vaswani et al. 2017, section 3.5, to the vectors.
        query, key, value: matrices (d_model, heads · head_dim); None: the vectors themselves, of
            which each head has its part.
        output: (heads · head_dim, d_model), which mixes the heads; None leaves them side by side.
        key_tokens, key_vectors: another text, which keys and values are of (cross-attention).
        source: where the vectors are from, in a word.

    Raises:
        BadArgumentError: no token or more than 64, shapes that do not fit, a name that is not
            known, a temperature that is too close to zero.
    """
    x = double(vectors if hasattr(vectors, "shape") else np.asarray(vectors))

    def like(array: Array) -> Array:
        return double(arrays_of(x).array(array, like=x))

    matrices = {"query": query, "key": key, "value": value, "output": output}
    width = x.shape[-1] if query is None else query.shape[-1]
    if head_dim is None and heads > 0 and width % heads:
        raise BadArgumentError(
            f"{width} dimensions cannot be shared by {heads} heads; give head_dim, or a number of"
            " heads that divides them."
        )
    setup = Setup(
        tokens=list(tokens),
        vectors=x,
        heads=heads,
        head_dim=width // max(heads, 1) if head_dim is None else head_dim,
        score=find_score(score),
        mask=_mask(mask, window),
        temperature=temperature,
        key_tokens=key_tokens,
        key_vectors=None if key_vectors is None else like(key_vectors),
        projections={
            name: Projection(like(matrix))
            for name, matrix in matrices.items()
            if matrix is not None
        },
        positions=like(sinusoids(*x.shape)) if positions else None,
    )
    return explained(setup, source=source, notes=notes)


def principal(vectors: Array, dim: int) -> Array:
    """(d_model, dim): the orthonormal directions through the origin that keep most of the vectors'
    squared length. Not centered, so that sums and dot products stay what they are as far as they
    can; the sign of each is such that its largest entry is positive.

    >>> principal(torch.tensor([[2.0, 0.0], [4.0, 0.0], [0.0, 1.0]]), dim=1).shape
    torch.Size([2, 1])
    """
    # The eigenvectors of XᵀX, from the largest eigenvalue down.
    x = double(vectors)
    arrays = arrays_of(x)
    directions = arrays.library.flip(arrays.library.linalg.eigh(x.mT @ x).eigenvectors, (1,))
    directions = directions[:, :dim]
    largest = abs(directions).argmax(0)
    places = arrays.count(directions.shape[1], like=x)
    return directions * arrays.library.sign(directions[largest, places])


def sinusoids(length: int, d_model: int) -> NDArray[np.float64]:
    """Return the table of `positions.sinusoidal`, (length, d_model), interleaved."""
    angles = np.arange(length)[:, None] * frequencies(np, d_model)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, d_model)


def random_projections(d_model: int, heads: int, head_dim: int) -> dict[str, NDArray[np.float64]]:
    """Matrices drawn once and for all (Glorot & Bengio 2010, equation 16): query, key, value and
    output as `explain_vectors` takes them. They are not trained.

    >>> {name: tuple(matrix.shape) for name, matrix in random_projections(40, 2, 8).items()}
    {'query': (40, 16), 'key': (40, 16), 'value': (40, 16), 'output': (16, 40)}
    """
    # The draws of `generation` for seed 0, which the page has too.
    draw = np.random.Generator(np.random.Philox(np.random.SeedSequence((0, 0, 0))))
    width = heads * head_dim
    bound = (6 / (d_model + width)) ** 0.5

    def matrix(*shape: int) -> NDArray[np.float64]:
        return (2 * draw.random(shape) - 1) * bound

    matrices = {name: matrix(d_model, width) for name in ("query", "key", "value")}
    return matrices | {"output": matrix(width, d_model)}


def _mask(mask: str | Mask | Array, window: int) -> Mask | None:
    if not isinstance(mask, str):
        return as_mask(mask)
    if mask not in MASKS:
        raise unknown("mask", mask, [*MASKS, "a Mask"])
    return {"none": None, "causal": Causal(), "window": Window(window, window)}[mask]
