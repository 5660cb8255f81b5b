# python examples/03_local_window.py --output .
"""A local window: neighbors are probably similar.

In the oracle's place stands a guess, and `mask` says it: a query may attend to its neighbors and
to nothing else. How many neighbors is the price: few leave the noise in, many cut the hills off.

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from regard import attend
from regard.attention import Window
from regard.figures.plots import Plot, plots
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the pictures")]
REACHES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 60, 119)

# A curve measured badly, as before.
RANDOM = np.random.default_rng(9)
X = np.sort(4 * np.pi * RANDOM.random((120, 1)), axis=0)
TRUTH = np.sin(X)
Y = TRUTH + 0.5 * RANDOM.normal(size=X.shape)


def error(estimate: np.ndarray) -> float:
    """Root of the mean squared distance from the truth."""
    return np.sqrt(np.mean((estimate - TRUTH) ** 2)).item()


def main(output: Folder = None) -> dict[str, float]:
    estimates = {
        reach: attend(X, X, Y, score="average", mask=Window(reach, reach)) for reach in REACHES
    }

    errors = [error(estimate) for estimate in estimates.values()]
    best = REACHES[errors.index(min(errors))]
    print(f"Best with {best} neighbors on each side: wrong by {min(errors):.3f}.")
    print(f"With none it is wrong by {errors[0]:.3f}, with all of them by {errors[-1]:.3f}.")
    if output:
        x, y, truth, local = (column[:, 0] for column in (X, Y, TRUTH, estimates[best]))
        lines = {"the truth": (x, truth), "local window": (x, local)}
        curves = {"error": (REACHES, errors)}
        panels = [
            Plot(f"Neighbors up to {best} places away", "x", "y", lines, {"measured": (x, y)}),
            Plot("How far to look", "neighbors on each side", "error", curves),
        ]
        save(plots(panels), output / "03_local_window.svg")
    return {"error": min(errors), "narrowest": errors[0], "widest": errors[-1]}


if __name__ == "__main__":
    typer.run(main)
