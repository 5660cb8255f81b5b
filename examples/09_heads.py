# python examples/09_heads.py --output .
"""Several heads: one average cannot be two.

A card that wants two others needs two rows of weights; one head can only give a mixture. With an
axis of heads on the same three matrices, and an output projection that joins them, it has both.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from regard import attend, attention_weights
from regard.figures.flow import flow
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
CARDS = 6  # on a table, in any order; as many as there are names
WIDTH, HEAD_DIM, STEPS = 3 * CARDS + 1, 8, 400  # a card: its name, two names it wants, its number


def deal(tables: int, seed: int) -> tuple[Tensor, Tensor]:
    """Cards (tables, cards, width), and the numbers that each one wants (tables, cards, 2)."""
    random = torch.Generator().manual_seed(seed)
    names = torch.eye(CARDS)[torch.rand(tables, CARDS, generator=random).argsort(-1)]
    wanted = torch.rand(tables, CARDS, CARDS, generator=random).argsort(-1)[..., :2]
    numbers = torch.randn(tables, CARDS, 1, generator=random)
    first, second = torch.eye(CARDS)[wanted].unbind(2)
    right = [wish @ names.mT @ numbers for wish in (first, second)]
    return torch.cat([names, first, second, numbers], -1), torch.cat(right, -1)


def trained(heads: int) -> tuple[float, Tensor, Tensor]:
    """The error that so many heads come to, and their queries' and keys' matrices."""
    random = torch.Generator().manual_seed(1)
    into = (heads, WIDTH, HEAD_DIM)
    w_query, w_key, w_value, w_output = parameters = [
        (0.3 * torch.randn(shape, generator=random)).requires_grad_()
        for shape in (into, into, into, (heads * HEAD_DIM, 2))
    ]

    def answer(cards: Tensor) -> Tensor:
        each = cards[:, None]  # (tables, 1, cards, width): every head sees all of it
        found = attend(each @ w_query, each @ w_key, each @ w_value)
        return found.transpose(1, 2).flatten(2) @ w_output  # heads side by side, then joined

    optimizer = torch.optim.Adam(parameters, lr=0.05)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, STEPS)
    for step in range(STEPS):
        cards, right = deal(128, seed=step)
        loss = (answer(cards) - right).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    cards, right = deal(512, seed=STEPS)
    return (answer(cards) - right).square().mean().item(), w_query, w_key


def main(output: Folder = None) -> dict[str, float]:
    (one, *_), (two, w_query, w_key) = trained(1), trained(2)
    print(f"Mean squared error with one head {one:.3f}, with two {two:.4f}.")
    if output:
        card = deal(1, seed=1)[0][0]
        weights = attention_weights(card @ w_query, card @ w_key).detach()
        names, first, second = (part.argmax(-1) for part in card[:, :-1].split(CARDS, -1))
        rows = [f"{a} wants {b}, {c}" for a, b, c in zip(names, first, second, strict=True)]
        figure = flow(weights.numpy(), rows, [f"is {name}" for name in names], least=0.2)
        save(figure, output / "09_heads.svg")
    return {"one": one, "two": two}


if __name__ == "__main__":
    typer.run(main)
