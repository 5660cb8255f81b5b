"""Spearman's rank correlation."""

from torch import Tensor


def spearman(first: Tensor, second: Tensor) -> float | None:
    """Pearson's correlation of the ranks of two lists of numbers, (n,) each; ties share their mean
    rank (Spearman 1904). None for fewer than 3 numbers, or where all of a list are equal.

    >>> round(spearman(torch.tensor([1.0, 2.0, 30.0]), torch.tensor([5.0, 6.0, 7.0])), 6)
    1.0
    """
    a, b = (ranks(each) - (len(each) + 1) / 2 for each in (first, second))
    scale = a.norm() * b.norm()
    return float(a @ b / scale) if len(a) > 2 and scale > 0 else None


def ranks(values: Tensor) -> Tensor:
    """(n,) → (n,): 1 for the smallest; equal values share the mean of their ranks."""
    below = (values[:, None] > values).sum(1)
    equal = (values[:, None] == values).sum(1)
    return below.double() + (equal.double() + 1) / 2
