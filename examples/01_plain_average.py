# python examples/01_plain_average.py --output .
"""The plain average: every value weighs the same, for every query.

Attention is a weighted average of values. Its simplest weights are equal ones, and what they give
is the same for every query: all that is particular to a place is averaged away.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attend, attention_weights
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]

# A curve measured badly.
RANDOM = np.random.default_rng(9)
X = np.sort(4 * np.pi * RANDOM.random((120, 1)), axis=0)
TRUTH = np.sin(X)
Y = TRUTH + 0.5 * RANDOM.normal(size=X.shape)


def error(estimate: np.ndarray) -> float:
    """Root of the mean squared distance from the truth."""
    return np.sqrt(np.mean((estimate - TRUTH) ** 2)).item()


def main(output: Folder = None) -> dict[str, float]:
    estimate = attend(X, X, Y, score="average")

    weight = attention_weights(X, X, score="average")[0, 0].item()
    print(f"Every one of {len(X)} measurements weighs {weight:.4f}.")
    print(f"A measurement is wrong by {error(Y):.3f}, their average by {error(estimate):.3f}.")
    if output:
        x, y, truth, flat = (column[:, 0] for column in (X, Y, TRUTH, estimate))
        lines = {"the truth": (x, truth), "plain average": (x, flat)}
        panel = Plot("The plain average", "x", "y", lines, {"measured": (x, y)})
        save(plots([panel]), output / "01_plain_average.svg")
    spread = (estimate.max() - estimate.min()).item()
    return {"weight": weight, "spread": spread, "measured": error(Y), "error": error(estimate)}


if __name__ == "__main__":
    typer.run(main)
