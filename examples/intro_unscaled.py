# python examples/intro_unscaled.py --output .
"""Training with and without √d: cards that look for each other, with narrow and wide heads.

The task of 08_query_key_value.py, with the same first weights and steps; the score alone differs.
A number's variance is 1, so an error of 1 is that of always saying zero. The learning rate was
chosen for narrow heads with the root.

The picture needs `pip install matplotlib`.
"""

from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from torch import Tensor

from regard import attend
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
CARDS, HEAD_DIMS, SEEDS, STEPS = 6, (8, 512), (1, 2, 3), 150
SCORES = {"q · k": "dot", "q · k / √d": "scaled_dot"}
SMOOTH = 10  # steps: each point of a curve is the mean of these and the ones before


def deal(tables: int, seed: int) -> tuple[Tensor, Tensor]:
    """Cards with a name, the name that each wants, and a number; and the numbers that they want."""
    random = torch.Generator().manual_seed(seed)
    names = torch.eye(CARDS)[torch.rand(tables, CARDS, generator=random).argsort(-1)]
    wishes = torch.eye(CARDS)[torch.rand(tables, CARDS, CARDS, generator=random).argmin(-1)]
    numbers = torch.randn(tables, CARDS, 1, generator=random)
    return torch.cat([names, wishes, numbers], -1), wishes @ names.mT @ numbers


def trained(score: str, head_dim: int, seed: int) -> tuple[float, np.ndarray]:
    """The error after the training, on new cards; and that of every step, smoothed."""
    random = torch.Generator().manual_seed(seed)
    w_query, w_key, w_value = parameters = [
        (0.3 * torch.randn(2 * CARDS + 1, dim, generator=random)).requires_grad_()
        for dim in (head_dim, head_dim, 1)
    ]
    optimizer, curve = torch.optim.Adam(parameters, lr=0.05), []
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, STEPS)
    for step in range(STEPS + 1):
        cards, right = deal(128 if step < STEPS else 512, seed=step)  # the last ones test
        answers = attend(cards @ w_query, cards @ w_key, cards @ w_value, score=score)
        loss = (answers - right).square().mean()
        curve.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return curve.pop(), np.array([np.mean(curve[: step + 1][-SMOOTH:]) for step in range(STEPS)])


def main(output: Folder = None) -> dict[str, float]:
    runs: dict[str, list[tuple[float, np.ndarray]]] = {}
    print(f"mean squared error after {STEPS} steps, for {len(SEEDS)} first weights")
    for head_dim, (name, score) in product(HEAD_DIMS, SCORES.items()):
        run = runs[f"{name}, d = {head_dim}"] = [trained(score, head_dim, seed) for seed in SEEDS]
        errors = "".join(f"{error:9.4f}" for error, _ in run)
        # By what factor the error is at most above its lowest until then.
        rises = "".join(f"{(each / np.minimum.accumulate(each)).max():8,.0f}" for _, each in run)
        print(f"d = {head_dim:3}  {name:10} {errors}   rises {rises}-fold")
    if output:
        panels = []
        for i, seed in enumerate(SEEDS):
            lines = {name: (range(STEPS), run[i][1]) for name, run in runs.items()}
            panels += [Plot(f"First weights {seed}", "step", "mean squared error", lines, log="y")]
        save(plots(panels), output / "intro_unscaled.svg")
    return {name: max(error for error, _ in run) for name, run in runs.items()}


if __name__ == "__main__":
    typer.run(main)
