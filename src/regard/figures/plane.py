"""Vectors of many numbers as points of a picture."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, check_choice, optional_package

METHODS = ("pca", "umap")


@dataclass(frozen=True, eq=False)
class Plane:
    """Points, and what the two directions are."""

    points: NDArray[np.float64]  # (points, 2)
    names: tuple[str, str]  # of x and y


def to_plane(vectors: NDArray[np.floating], method: str = "pca", *, seed: int = 0) -> Plane:
    """(points, dim) to two dimensions.

    "pca": the two directions in which the points spread most; distances shrink but do not lie.
    "umap": neighbors stay neighbors, other distances mean little (McInnes et al. 2018); needs
    the package umap-learn.
    """
    check_choice("method", method, METHODS)
    if len(vectors) < 3:
        raise BadArgumentError(f"a picture needs three points or more; got {len(vectors)}.")
    return _pca(vectors) if method == "pca" else _umap(vectors, seed)


def _pca(vectors: NDArray[np.floating]) -> Plane:
    centered = vectors - vectors.mean(0, dtype=np.float64)
    left, spread, directions = np.linalg.svd(centered, full_matrices=False)
    # A direction and its opposite are the same; let the largest number in it be positive.
    largest = np.abs(directions).argmax(1)
    signs = np.sign(np.take_along_axis(directions, largest[:, None], axis=1)[:, 0])
    points = (left * spread * signs)[:, :2]
    points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    shares = np.pad(spread**2 / max(float((spread**2).sum()), 1e-30), (0, 1))
    first, second = (f"component {k + 1}, {shares[k]:.0%} of the variance" for k in range(2))
    return Plane(points, (first, second))


def _umap(vectors: NDArray[np.floating], seed: int) -> Plane:
    with optional_package("umap-learn", "method 'umap' needs"):
        from umap import UMAP
    near = min(15, len(vectors) - 1)
    with warnings.catch_warnings():  # that a seed means one thread
        warnings.simplefilter("ignore", UserWarning)
        reducer = UMAP(n_neighbors=near, metric="cosine", random_state=seed, init="random")
        points = reducer.fit_transform(np.asarray(vectors, np.float32))
    return Plane(np.asarray(points, np.float64), ("UMAP 1", "UMAP 2"))
