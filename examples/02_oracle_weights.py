# python examples/02_oracle_weights.py --output .
"""The oracle's weights: one who knows the truth says which measurements belong together.

One argument more than the plain average: `bias`, the logarithm of what the oracle would give each
measurement. No one has an oracle; it shows what weights are worth, and what the next examples
try to guess.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attend
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]

# A curve measured badly, as before.
RANDOM = np.random.default_rng(9)
X = np.sort(4 * np.pi * RANDOM.random((120, 1)), axis=0)
TRUTH = np.sin(X)
Y = TRUTH + 0.5 * RANDOM.normal(size=X.shape)


def error(estimate: np.ndarray) -> float:
    """Root of the mean squared distance from the truth."""
    return np.sqrt(np.mean((estimate - TRUTH) ** 2)).item()


def main(output: Folder = None) -> dict[str, float]:
    # It averages over all places where the curve is as high as it is here, near or far.
    alike = abs(TRUTH - TRUTH.T) < 0.1
    bias = np.where(alike, 0.0, -np.inf)  # the logarithms of 1 and 0
    estimate = attend(X, X, Y, score="average", bias=bias)

    average = attend(X, X, Y, score="average")
    few = alike.sum(1).mean().item()
    print(f"The oracle averages {few:.1f} of {len(X)} measurements.")
    print(f"It is wrong by {error(estimate):.3f}, the plain average by {error(average):.3f}.")
    if output:
        x, y, truth, guided = (column[:, 0] for column in (X, Y, TRUTH, estimate))
        lines = {"the truth": (x, truth), "oracle weights": (x, guided)}
        panel = Plot("Weights from an oracle", "x", "y", lines, {"measured": (x, y)})
        save(plots([panel]), output / "02_oracle_weights.svg")
    return {"measurements": few, "error": error(estimate), "average": error(average)}


if __name__ == "__main__":
    typer.run(main)
