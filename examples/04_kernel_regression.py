# python examples/04_kernel_regression.py --output .
"""Kernel regression: the nearer, the more it weighs (Nadaraya 1964, Watson 1964).

The window's edge goes; `score` is a similarity instead, here a Gaussian of the distance. From here
on queries and keys mean something: weights come from comparing them. statsmodels' local constant
regression is the same function.

It needs `pip install matplotlib statsmodels`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from statsmodels.nonparametric.kernel_regression import KernelReg

from regard import attend
from regard.attention import gaussian
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
BANDWIDTHS = (0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 2.0, 4.0)

# A curve measured badly, as before.
RANDOM = np.random.default_rng(9)
X = np.sort(4 * np.pi * RANDOM.random((120, 1)), axis=0)
TRUTH = np.sin(X)
Y = TRUTH + 0.5 * RANDOM.normal(size=X.shape)


def error(estimate: np.ndarray) -> float:
    """Root of the mean squared distance from the truth."""
    return np.sqrt(np.mean((estimate - TRUTH) ** 2)).item()


def main(output: Folder = None) -> dict[str, float]:
    estimates = {h: attend(X, X, Y, score=gaussian(h)) for h in BANDWIDTHS}

    errors = [error(estimate) for estimate in estimates.values()]
    best = BANDWIDTHS[errors.index(min(errors))]
    # A query need not be one of the keys: the curve between and beyond the measurements.
    grid = np.linspace(-1, 14, 97)[:, None]
    ours = attend(grid, X, Y, score=gaussian(best))
    theirs = KernelReg(Y, X, "c", reg_type="lc", bw=[best], rng=0)
    apart = abs(ours[:, 0] - theirs.fit(grid)[0]).max().item()
    print(f"Best with bandwidth {best:g}: wrong by {min(errors):.3f}.")
    print(f"statsmodels' KernelReg differs by at most {apart:.1e} at {len(grid)} places.")
    if output:
        x, y, truth, smooth = (column[:, 0] for column in (X, Y, TRUTH, estimates[best]))
        lines = {"the truth": (x, truth), "kernel regression": (x, smooth)}
        dots = {"measured": (x, y)}
        panels = [
            Plot(f"A Gaussian of the distance, h = {best:g}", "x", "y", lines, dots),
            Plot("How wide it is", "h", "error", {"error": (BANDWIDTHS, errors)}, log="x"),
        ]
        save(plots(panels), output / "04_kernel_regression.svg")
    return {"error": min(errors), "from_statsmodels": apart}


if __name__ == "__main__":
    typer.run(main)
