"""Training with and without √d: the cards that look for each other, with narrow and wide heads.

The task, the first weights and the steps are the same; the score alone differs. A number's
variance is 1, so an error of 1 is that of always saying zero. The learning rate is that of the
other examples, which was chosen for narrow heads with the root.
"""

from pathlib import Path

import numpy as np
from command import Numbers, run
from lookup import CARDS, learn, matrices
from torch import Tensor

from regard import attend
from regard.figures.plots import Plot, plots
from regard.figures.style import save

WIDTH, HEAD_DIMS, SEEDS, STEPS = 2 * CARDS + 1, (8, 512), (1, 2, 3), 150
SCORES = {"q · k": "dot", "q · k / √d": "scaled_dot"}
SMOOTH = 10  # steps: each point of a curve is the mean of these and the ones before


def trained(score: str, head_dim: int, seed: int) -> tuple[float, list[float]]:
    """The error after the training, on new cards; and that of every step."""
    w_query, w_key, w_value = matrices((WIDTH, head_dim), (WIDTH, head_dim), (WIDTH, 1), seed=seed)

    def answer(cards: Tensor) -> Tensor:
        return attend(cards @ w_query, cards @ w_key, cards @ w_value, score=score)

    curve: list[float] = []
    last = learn(answer, [w_query, w_key, w_value], wants=1, steps=STEPS, curve=curve)
    return last, curve


def smooth(curve: list[float]) -> tuple[list[int], list[float]]:
    """Steps, and the mean error of the last of them."""
    return [*range(len(curve))], [
        float(np.mean(curve[max(0, step - SMOOTH + 1) : step + 1])) for step in range(len(curve))
    ]


def rise(curve: list[float]) -> float:
    """By what factor the mean error is at most above its lowest until then."""
    errors = np.array(smooth(curve)[1])
    return float((errors / np.minimum.accumulate(errors)).max())


def main(output: Path | None = None) -> Numbers:
    numbers: Numbers = {}
    curves: dict[int, dict[str, tuple[list[int], list[float]]]] = {seed: {} for seed in SEEDS}
    print(f"mean squared error after {STEPS} steps, for {len(SEEDS)} first weights")
    for head_dim in HEAD_DIMS:
        for name, score in SCORES.items():
            trainings = [trained(score, head_dim, seed) for seed in SEEDS]
            errors = [last for last, _ in trainings]
            rises = "".join(f"{rise(curve):8,.0f}" for _, curve in trainings)
            last = "".join(f"{each:9.4f}" for each in errors)
            print(f"d = {head_dim:3}  {name:10} {last}   rises {rises}-fold")
            numbers[f"{score}_{head_dim}"] = max(errors)
            for seed, (_, curve) in zip(SEEDS, trainings, strict=True):
                curves[seed][f"{name}, d = {head_dim}"] = smooth(curve)
    if output:
        panels = [
            Plot(f"First weights {seed}", "step", "mean squared error", lines, log="y")
            for seed, lines in curves.items()
        ]
        save(plots(panels), output / "intro_unscaled.svg")
    return numbers


if __name__ == "__main__":
    run(main)
