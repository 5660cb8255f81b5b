# python examples/intro_unscaled.py --output .
"""Training with and without √d: cards that look for each other, with narrow and wide heads.

The task of 08_query_key_value.py, with the same first weights and steps; the score alone differs.
A number's variance is 1, so an error of 1 is that of always saying zero. The learning rate was
chosen for narrow heads with the root.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor

from regard import attend
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
CARDS, HEAD_DIMS, STARTS, STEPS = 6, (8, 256), 12, 150
SCORES = {"q · k": "dot", "q · k / √d": "scaled_dot"}
SMOOTH = 10  # steps, of which each point of a curve is the mean


def deal(tables: int, seed: int) -> tuple[Tensor, Tensor]:
    """Cards with a name, the name that each wants, and a number; and the numbers that they want."""
    random = torch.Generator().manual_seed(seed)
    names = torch.eye(CARDS)[torch.rand(tables, CARDS, generator=random).argsort(-1)]
    wishes = torch.eye(CARDS)[torch.rand(tables, CARDS, CARDS, generator=random).argmin(-1)]
    numbers = torch.randn(tables, CARDS, 1, generator=random)
    return torch.cat([names, wishes, numbers], -1), wishes @ names.mT @ numbers


def trained(score: str, head_dim: int) -> Tensor:
    """(steps + 1, starts): the error at each step, for all first weights; the last on new cards."""
    random = torch.Generator().manual_seed(0)
    w_query, w_key, w_value = parameters = [
        (0.3 * torch.randn(STARTS, 1, 2 * CARDS + 1, dim, generator=random)).requires_grad_()
        for dim in (head_dim, head_dim, 1)
    ]
    optimizer, errors = torch.optim.Adam(parameters, lr=0.05), []
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, STEPS)
    for step in range(STEPS + 1):
        cards, right = deal(128 if step < STEPS else 512, seed=step)
        answers = attend(cards @ w_query, cards @ w_key, cards @ w_value, score=score)
        loss = (answers - right).square().mean((1, 2, 3))
        errors.append(loss.detach())
        optimizer.zero_grad()
        loss.sum().backward()
        optimizer.step()
        schedule.step()
    return torch.stack(errors)


def main(output: Folder = None) -> dict[str, float]:
    panels, numbers = [], dict[str, float]()
    print(f"of {STARTS} trainings {'rise 10-fold':>20} {'at most':>11} {'end above 0.01':>18}")
    for head_dim in HEAD_DIMS:
        lines, steepest = {}, 0
        for name, score in SCORES.items():
            errors = trained(score, head_dim)
            curves = errors[:-1].unfold(0, SMOOTH, 1).mean(-1)
            rises = (curves / curves.cummin(0).values).amax(0)  # above the lowest point until then
            rise, late = int((rises >= 10).sum()), int((errors[-1] > 0.01).sum())
            print(f"d = {head_dim:3}  {name:10} {rise:13} {rises.max():9,.0f}-fold {late:12}")
            numbers |= {f"{score} {head_dim}, rise": rise, f"{score} {head_dim}, late": late}
            steepest = steepest if lines else int(rises.argmax())  # the first weights to draw
            lines[name] = range(SMOOTH, STEPS + 1), curves[:, steepest]
        panels.append(Plot(f"Heads of {head_dim}", "step", "mean squared error", lines, log="y"))
    if output:
        save(plots(panels), output / "intro_unscaled.svg")
    return numbers


if __name__ == "__main__":
    typer.run(main)
