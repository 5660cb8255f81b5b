# python examples/08_query_key_value.py --output .
"""Query, key, value: three learned views of one vector.

What I look for is not what I am, and neither is what I have to say. Cards that want the numbers of
other cards cannot find them by similarity: the card most similar to a card is that card itself.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from regard import attend, attention_weights
from regard.figures.heatmap import heatmap
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
CARDS = 6  # on a table, in any order; as many as there are names
WIDTH, HEAD_DIM, STEPS = 2 * CARDS + 1, 8, 400  # a card: its name, the name it wants, its number


def deal(tables: int, seed: int) -> tuple[Tensor, Tensor]:
    """Cards (tables, cards, width), and the number that each one wants (tables, cards, 1)."""
    random = torch.Generator().manual_seed(seed)
    names = torch.eye(CARDS)[torch.rand(tables, CARDS, generator=random).argsort(-1)]
    wishes = torch.eye(CARDS)[torch.rand(tables, CARDS, CARDS, generator=random).argmin(-1)]
    numbers = torch.randn(tables, CARDS, 1, generator=random)
    return torch.cat([names, wishes, numbers], -1), wishes @ names.mT @ numbers


def main(output: Folder = None) -> dict[str, float]:
    random = torch.Generator().manual_seed(1)
    w_query, w_key, w_value = parameters = [
        (0.3 * torch.randn(WIDTH, dim, generator=random)).requires_grad_()
        for dim in (HEAD_DIM, HEAD_DIM, 1)
    ]
    optimizer = torch.optim.Adam(parameters, lr=0.05)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, STEPS)
    for step in range(STEPS):
        cards, right = deal(128, seed=step)
        loss = (attend(cards @ w_query, cards @ w_key, cards @ w_value) - right).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()

    cards, right = deal(512, seed=STEPS)  # other cards than those of the training
    answers = attend(cards @ w_query, cards @ w_key, cards @ w_value)
    error = (answers - right).square().mean().item()
    cards, right = deal(512, seed=1)
    by_similarity = attend(cards, cards, cards)[..., -1:]
    without = (by_similarity - right).square().mean().item()
    own = (attention_weights(cards, cards).argmax(-1) == torch.arange(CARDS)).float().mean().item()
    card = cards[0]
    weights = attention_weights(card @ w_query, card @ w_key).detach()
    names, asked = (part.argmax(-1) for part in card[:, :-1].split(CARDS, -1))
    found = names[weights.argmax(-1)]
    print(f"Without parameters {own:.0%} of the cards look at themselves most.")
    print(f"Without parameters the mean squared error is {without:.3f}, with them {error:.4f}.")
    print("wanted:", *asked.tolist(), "  looked at:", *found.tolist())
    if output:
        rows = [f"{name} wants {wish}" for name, wish in zip(names, asked, strict=True)]
        columns = [f"is {name}" for name in names]
        figure = heatmap(weights.numpy(), rows, columns, title="Each card finds the one it wants")
        save(figure, output / "08_query_key_value.svg")
    return {"error": error, "without": without, "found": (asked == found).float().mean().item()}


if __name__ == "__main__":
    typer.run(main)
