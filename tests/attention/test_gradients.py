"""Gradients at the edge of the softmax, beside finite differences in float64: rows that see one key
or no key, or whose weight is all on one. No formula may rest there on how a tie is differentiated.

Any three of kernel, score, mask, bias and size meet, but not all five: with `NUMERICS_EXAMPLES=200`
each kernel is tried so many times more with each score.
"""

import os
import random
from collections.abc import Callable
from itertools import cycle, islice, product
from typing import Any

import pytest
import torch
from torch import Tensor

from fixtures.covering import covering
from regard.attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    Prefix,
    Window,
    additive,
    attend,
    attention_weights,
    capped,
    gaussian,
    general,
    scaled,
)

LENGTH, DIM = 3, 2
EXAMPLES = int(os.environ.get("NUMERICS_EXAMPLES", "0"))
STEP = 1e-6  # of a finite difference; its error is about STEP²
ONE_HOT = torch.eye(LENGTH, dtype=torch.bool).roll(1, 0)

DOTS: dict[str, Callable[..., Any]] = {
    "dot": lambda: "dot",
    "scaled_dot": lambda: "scaled_dot",
    "cosine": lambda: "cosine",
    "scaled by a negative number": lambda: scaled(-0.5),
    "scaled by zero": lambda: scaled(0.0),
}
OTHERS: dict[str, Callable[..., Any]] = {
    "average": lambda: "average",
    "capped": lambda: capped(scaled(1.5), cap=2.0),
    "gaussian": lambda h: gaussian(h.square().sum() + 1),
    "general": lambda w: general(w),
    "additive": lambda w, u, v: additive(w, u, v[0]),
}
KERNELS = ("auto", "plain", "blocked", "short", "fused", "weights")
SCORES = DOTS | OTHERS
MASKS: dict[str, Callable[[], Mask | Tensor | None]] = {
    "no mask": lambda: None,
    "causal": Causal,
    "only itself": lambda: Window(0, 0),
    "a document each": lambda: Documents(torch.arange(LENGTH)[None].expand(2, -1)),
    "one key left by padding": lambda: Padding(torch.tensor([[True, False, False]] * 2)),
    "one key, then all": lambda: Causal() | Prefix(torch.tensor([0, 3])),
    "one key each": lambda: ONE_HOT,
    "one key, or no key": lambda: ONE_HOT & torch.tensor([[True], [False], [True]]),
}
BIASES = ("no bias", "a bias", "a bias that hides all keys but one", "a bias of -inf")
SIZES = (1.0, 40.0)  # of the inputs; with the larger one rows are saturated


def inputs_of(score: str, bias: str, size: float, seed: int) -> tuple[list[Tensor], list[Tensor]]:
    """Query, key, value and perhaps a bias; parameters of the score."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    inputs = [normal(2, 1, LENGTH, DIM) * size**0.5, normal(2, 1, LENGTH, DIM) * size**0.5]
    inputs.append(normal(2, 1, LENGTH, DIM))
    if bias != "no bias":
        added = normal(LENGTH, LENGTH) * size
        if bias == "a bias that hides all keys but one":
            added = added.masked_fill(~ONE_HOT, float("-inf"))
        if bias == "a bias of -inf":
            added = added.masked_fill(torch.tensor([[True], [False], [False]]), float("-inf"))
        inputs.append(added)
    number = SCORES[score].__code__.co_argcount
    return inputs, [normal(DIM, DIM) for _ in range(number)]


def result(
    kernel: str, score: str, mask: Mask | Tensor | None, inputs: list[Tensor], own: list[Tensor]
) -> Tensor:
    """A weighted sum of the output and of the finite log-sum-exps, or of the weights."""
    query, key, value, *bias = inputs
    options: dict[str, Any] = dict(score=SCORES[score](*own), mask=mask, bias=(bias or [None])[0])
    if kernel == "weights":
        outputs = [attention_weights(query, key, **options)]
    else:
        outputs = list(attend(query, key, value, kernel=kernel, return_lse=True, **options))
    return torch.stack([_weighted(output) for output in outputs]).sum()


def _weighted(output: Tensor) -> Tensor:
    factors = torch.linspace(-1, 2, output.numel(), dtype=torch.float64).view(output.shape)
    return (output.masked_fill(output.isinf(), 0) * factors).sum()


def is_possible(kernel: str, score: str, mask: str, bias: str, size: float) -> bool:
    if kernel == "short" and bias != "no bias":
        return False
    return score in DOTS or kernel not in ("short", "fused")


def calls() -> dict[tuple[str, str], list[tuple[str, str, float]]]:
    """Kernel and score → the masks, biases and sizes that they are tried with."""
    axes = (KERNELS, SCORES, MASKS, BIASES, SIZES)
    chosen: dict[tuple[str, str], list[tuple[str, str, float]]] = {}
    for kernel, score, *others in covering(*axes, strength=3, possible=is_possible):
        chosen.setdefault((kernel, score), []).append(tuple(others))
    for (kernel, score), cases in chosen.items():
        rest = product(MASKS, BIASES, SIZES)
        rest = [case for case in rest if is_possible(kernel, score, *case)]
        random.Random(0).shuffle(rest)
        cases += islice(cycle(rest), EXAMPLES)
    return chosen


CALLS = calls()


@pytest.mark.parametrize(("kernel", "score"), CALLS)
def test_gradients_are_finite_differences_where_one_key_is_seen(kernel: str, score: str):
    for seed, (mask, bias, size) in enumerate(CALLS[kernel, score]):
        inputs, own = inputs_of(score, bias, size, seed)
        check(kernel, score, MASKS[mask](), inputs, own, f"{mask}, {bias}, {size}, seed {seed}")


def check(
    kernel: str,
    score: str,
    mask: Mask | Tensor | None,
    inputs: list[Tensor],
    own: list[Tensor],
    place: str,
) -> None:
    """Compares the derivative along a random direction of each tensor with a finite difference."""
    tensors = [*inputs, *own]
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]

    def of(values: list[Tensor]) -> Tensor:
        return result(kernel, score, mask, values[: len(inputs)], values[len(inputs) :])

    value = of(leaves)
    gradients = [torch.zeros_like(tensor) for tensor in tensors]
    if value.requires_grad:  # the weights of an average depend on nothing
        gradients = list(torch.autograd.grad(value, leaves, materialize_grads=True))
    generator = torch.Generator().manual_seed(0)
    for number, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=True)):
        direction = torch.randn(tensor.shape, generator=generator, dtype=torch.float64) * STEP
        with torch.no_grad():
            above, below = (
                of([*tensors[:number], tensor + step, *tensors[number + 1 :]])
                for step in (direction, -direction)
            )
        got, want = (gradient * direction).sum(), (above - below) / 2
        # Rounding of a value of size v shows in the difference as v · 2⁻⁵².
        rounding = 1e-14 * (1 + abs(value.item()))
        slack = 1e-6 * STEP * max(1.0, float(gradient.abs().max())) + rounding
        assert gradient.isfinite().all(), f"{place}: the gradient of tensor {number} is {gradient}"
        assert abs(got - want) <= slack, f"{place}: tensor {number}: {got / STEP}, {want / STEP}"
