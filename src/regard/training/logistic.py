"""Logistic regression by L-BFGS: the start of a new head, and a model's baseline."""

from collections.abc import Callable

import torch
from torch import Tensor

STRENGTH = 3.0  # of the loss against the weights' squares, for vectors of mean square length 1


def fit_logistic(
    vectors: Tensor, outputs: int, loss: Callable[[Tensor], Tensor], *, strength: float = STRENGTH
) -> tuple[Tensor, Tensor]:
    """Return the weights (outputs, width) and biases (outputs,) that minimize
    strength · loss + ½ ‖weights‖², as scikit-learn's `LogisticRegression(C=strength)` does.

    >>> cross_entropy = torch.nn.functional.cross_entropy
    >>> vectors, labels = torch.tensor([[-1.0], [1.0]]), torch.tensor([0, 1])
    >>> weight, _ = fit_logistic(
    ...     vectors, 2, lambda logits: cross_entropy(logits, labels, reduction="sum")
    ... )
    >>> weight[0].item() < 0 < weight[1].item()
    True

    Args:
        vectors: (rows, width).
        loss: of the logits, (rows, outputs), summed over the rows.
    """
    vectors = vectors.double()
    weight = torch.zeros(outputs, vectors.shape[1], dtype=vectors.dtype, requires_grad=True)
    bias = torch.zeros(outputs, dtype=vectors.dtype, requires_grad=True)
    search = torch.optim.LBFGS(
        [weight, bias],
        max_iter=300,
        tolerance_grad=1e-6,
        tolerance_change=1e-10,
        line_search_fn="strong_wolfe",
    )

    def objective() -> float:
        search.zero_grad()
        penalty = weight.square().sum() / (2 * strength)
        value = (loss(vectors @ weight.T + bias) + penalty) / len(vectors)
        value.backward()
        return float(value.detach())

    with torch.enable_grad():
        search.step(objective)
    return weight.detach(), bias.detach()


def fit_projection(
    projection: torch.nn.Linear, vectors: Tensor, loss: Callable[[Tensor], Tensor]
) -> None:
    """Set a projection to the logistic regression on the vectors that it reads, (rows, width)."""
    vectors = vectors.double().cpu()
    mean = vectors.mean(0)
    length = (vectors - mean).square().sum(1).mean().sqrt().clamp(min=1e-12)
    weight, bias = fit_logistic((vectors - mean) / length, projection.out_features, loss)
    weight = weight / length
    with torch.no_grad():
        projection.weight.copy_(weight)
        if projection.bias is not None:
            projection.bias.copy_(bias - weight @ mean)
