"""Vectors as points of a plane: scikit-learn's PCA is the other opinion."""

import builtins
from importlib.util import find_spec

import numpy as np
import pytest

from regard.errors import RegardError
from regard.figures.scatter import to_plane


def test_pca_is_scikit_learns():
    decomposition = pytest.importorskip("sklearn.decomposition")
    vectors = np.random.default_rng(0).normal(size=(11, 7)) * np.arange(1, 8)
    expected = decomposition.PCA(2)
    points = expected.fit_transform(vectors)
    found = to_plane(vectors)
    np.testing.assert_allclose(np.abs(found.points), np.abs(points), atol=1e-10)
    first, second = expected.explained_variance_ratio_
    assert found.names == (
        f"component 1, {first:.0%} of the variance",
        f"component 2, {second:.0%} of the variance",
    )


def test_points_of_a_plane_keep_their_distances():
    flat = np.random.default_rng(1).normal(size=(5, 2))
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(13, 13)))[0][:2]
    found = to_plane(flat @ turn).points
    distances = [
        np.linalg.norm(points[:, None] - points[None], axis=-1) for points in (flat, found)
    ]
    np.testing.assert_allclose(*distances, atol=1e-10)


def test_the_same_vectors_mirrored_are_mirrored_not_shuffled():
    vectors = np.random.default_rng(3).normal(size=(7, 5))
    np.testing.assert_allclose(to_plane(-vectors).points, -to_plane(vectors).points)


def test_vectors_of_one_number_lie_on_a_line():
    found = to_plane(np.array([[1.0], [2.0], [6.0]]))
    np.testing.assert_allclose(found.points, [[-2, 0], [-1, 0], [3, 0]])


def test_equal_vectors_are_one_point():
    assert not to_plane(np.ones((3, 5))).points.any()


def test_too_few_points_and_other_methods_are_refused():
    with pytest.raises(RegardError, match="three points or more; got 2"):
        to_plane(np.ones((2, 3)))
    with pytest.raises(RegardError, match="method must be one of pca, umap; got 'tsne'"):
        to_plane(np.ones((5, 3)), "tsne")


def test_without_umap_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name == "umap":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(RegardError, match=r"package umap-learn .*pip install umap-learn"):
        to_plane(np.ones((5, 3)), "umap")


@pytest.mark.skipif(find_spec("umap") is None, reason="umap-learn is not installed")
@pytest.mark.filterwarnings("ignore")  # of numba, at import
def test_umap_keeps_neighbors_together():
    draw = np.random.default_rng(4)
    vectors = np.concatenate([draw.normal(size=(20, 7)) * 0.1 + np.eye(7)[k] for k in (0, 3)])
    points = to_plane(vectors, "umap").points
    assert points.shape == (40, 2)
    inside = np.linalg.norm(points[:20] - points[:20].mean(0), axis=1).mean()
    assert np.linalg.norm(points[:20].mean(0) - points[20:].mean(0)) > 2 * inside
