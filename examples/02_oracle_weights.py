# python examples/02_oracle_weights.py --output .
"""The oracle's weights: one who knows the truth says which measurements belong together.

One argument more than the plain average: `bias`, the logarithm of what the oracle would give each
measurement. No one has an oracle; it shows what weights are worth, and what the next examples
try to guess.

The picture needs `pip install matplotlib`.
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

# A curve measured badly, as before.
RANDOM = torch.Generator().manual_seed(0)
X = torch.rand(120, 1, generator=RANDOM, dtype=torch.float64).sort(0).values * 4 * torch.pi
TRUTH = X.sin()
Y = TRUTH + 0.5 * torch.randn(120, 1, generator=RANDOM, dtype=torch.float64)


def error(estimate: Tensor) -> float:
    """Root of the mean squared distance from the truth."""
    return (estimate - TRUTH).square().mean().sqrt().item()


def main(output: Folder = None) -> dict[str, float]:
    # It averages over all places where the curve is as high as it is here, near or far.
    alike = (TRUTH - TRUTH.T).abs() < 0.1
    oracle = torch.where(alike, 1.0, 0.0).to(X.dtype)
    estimate = attend(X, X, Y, score="average", bias=oracle.log())

    average = attend(X, X, Y, score="average")
    few = alike.sum(1).double().mean().item()
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
