"""Logistic regression is scikit-learn's, and a projection set to it gives its decisions."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.training.logistic import fit_logistic, fit_projection

linear_model = pytest.importorskip("sklearn.linear_model")


def blobs() -> tuple[Tensor, Tensor]:
    draw = np.random.default_rng(5)
    labels = draw.integers(0, 3, 90)
    centers = np.array([[0, 0, 1.0, 0], [1, 0, 0, 0], [0, 1, 0, 1]])
    return torch.tensor(centers[labels] + draw.normal(0, 0.7, (90, 4))), torch.tensor(labels)


@pytest.mark.parametrize("strength", [0.5, 30.0])
def test_one_label_of_several_is_scikit_learns_multinomial_regression(strength: float) -> None:
    vectors, labels = blobs()

    def loss(logits: Tensor) -> Tensor:
        return functional.cross_entropy(logits, labels, reduction="sum")

    weight, bias = fit_logistic(vectors, 3, loss, strength=strength)
    theirs = linear_model.LogisticRegression(C=strength, tol=1e-9, max_iter=5000)
    theirs.fit(vectors.numpy(), labels.numpy())
    assert weight.numpy() == pytest.approx(theirs.coef_, abs=1e-3)
    centered = bias - bias.mean()  # a shift of all logits changes nothing
    assert centered.numpy() == pytest.approx(theirs.intercept_ - theirs.intercept_.mean(), abs=1e-3)


def test_several_labels_are_a_regression_each() -> None:
    vectors, labels = blobs()
    truth = functional.one_hot(labels, 3).double()

    def loss(logits: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(logits, truth, reduction="sum")

    weight, bias = fit_logistic(vectors, 3, loss, strength=2.0)
    for label in range(3):
        theirs = linear_model.LogisticRegression(C=2.0, tol=1e-9, max_iter=5000)
        theirs.fit(vectors.numpy(), (labels == label).numpy())
        assert weight[label].numpy() == pytest.approx(theirs.coef_[0], abs=1e-3)
        assert float(bias[label]) == pytest.approx(theirs.intercept_[0], abs=1e-3)


def test_a_projection_decides_alike_wherever_its_vectors_lie() -> None:
    vectors, labels = blobs()

    def loss(logits: Tensor) -> Tensor:
        return functional.cross_entropy(logits, labels, reduction="sum")

    near, far = nn.Linear(4, 3), nn.Linear(4, 3)
    fit_projection(near, vectors, loss)
    fit_projection(far, 50 * vectors + 200, loss)
    ours, theirs = near(vectors.float()), far(50 * vectors.float() + 200)
    assert torch.allclose(ours.softmax(-1), theirs.softmax(-1), atol=1e-2)


def test_vectors_that_are_all_alike_give_the_shares_of_the_labels() -> None:
    labels = torch.tensor([0, 0, 0, 1])
    projection = nn.Linear(2, 2)
    fit_projection(
        projection,
        torch.ones(4, 2),
        lambda logits: functional.cross_entropy(logits, labels, reduction="sum"),
    )
    assert projection(torch.ones(2)).softmax(-1).tolist() == pytest.approx([0.75, 0.25], abs=1e-3)
