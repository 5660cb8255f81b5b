"""Cards that look for each other: a task that similarity alone does not solve.

Each card has a name, asks for one or more other names, and holds a number. Its answer is
the numbers that the cards of those names hold.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import one_hot

CARDS = 6  # on a table, in any order; as many as there are names


def deal(tables: int, wants: int, seed: int) -> tuple[Tensor, Tensor]:
    """Cards (tables, cards, dim), each [its name, the names that it wants, its number]; and the
    right answers (tables, cards, wants)."""
    random = torch.Generator().manual_seed(seed)
    names = torch.rand(tables, CARDS, generator=random).argsort(-1)
    wanted = torch.rand(tables, CARDS, CARDS, generator=random).argsort(-1)[..., :wants]
    numbers = torch.randn(tables, CARDS, generator=random)
    holder = names.argsort(-1)  # where the card of each name lies
    lies = holder.gather(-1, wanted.flatten(1))
    answers = numbers.gather(-1, lies).view_as(wanted)
    wishes = one_hot(wanted, CARDS).flatten(2)
    cards = torch.cat([one_hot(names, CARDS), wishes, numbers[..., None]], -1)
    return cards, answers


def matrices(*shapes: tuple[int, ...], seed: int = 1) -> list[Tensor]:
    """Small random matrices to be learned."""
    random = torch.Generator().manual_seed(seed)
    return [(0.3 * torch.randn(shape, generator=random)).requires_grad_() for shape in shapes]


def learn(
    answer: Callable[[Tensor], Tensor],
    parameters: list[Tensor],
    *,
    wants: int,
    steps: int = 400,
    curve: list[float] | None = None,
) -> float:
    """Changes the parameters until `answer(cards)` is right; the mean squared error on new tables.

    A number's variance is 1, and so is the error of who always says zero. A `curve` gets the error
    on each step's tables, before the step.
    """
    optimizer = torch.optim.Adam(parameters, lr=0.05)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
    for step in range(steps):
        cards, right = deal(128, wants, seed=step)
        loss = (answer(cards) - right).square().mean()
        optimizer.zero_grad()
        loss.backward()
        if curve is not None:
            curve.append(loss.item())
        optimizer.step()
        schedule.step()
    cards, right = deal(512, wants, seed=steps)
    with torch.no_grad():
        return (answer(cards) - right).square().mean().item()
