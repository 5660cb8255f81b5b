"""A local window: neighbors are probably similar.

In the oracle's place stands a guess, and `mask` says it: a query may attend to its neighbors and
to nothing else. How many neighbors is the price: few leave the noise in, many cut the hills off.
"""

from pathlib import Path

from command import Numbers, run
from noisy_curve import MEASURED, X, Y, drawn, error

from regard import attend
from regard.attention import Window
from regard.figures.plots import Plot, plots
from regard.figures.style import save

REACHES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 60, 119)


def main(output: Path | None = None) -> Numbers:
    estimates = {
        reach: attend(X, X, Y, score="average", mask=Window(reach, reach)) for reach in REACHES
    }

    errors = [error(estimate) for estimate in estimates.values()]
    best = REACHES[errors.index(min(errors))]
    print(f"Best with {best} neighbors on each side: wrong by {min(errors):.3f}.")
    print(f"With none it is wrong by {errors[0]:.3f}, with all of them by {errors[-1]:.3f}.")
    if output:
        lines = drawn(local_window=estimates[best])
        panels = [
            Plot(f"Neighbors up to {best} places away", "x", "y", lines, MEASURED),
            Plot(
                "How far to look", "neighbors on each side", "error", {"error": (REACHES, errors)}
            ),
        ]
        save(plots(panels), output / "03_local_window.svg")
    return {
        "reach": best,
        "error": min(errors),
        "error_narrowest": errors[0],
        "error_widest": errors[-1],
    }


if __name__ == "__main__":
    run(main)
