"""Kernel regression: the nearer, the more it weighs (Nadaraya 1964, Watson 1964).

The window's edge goes; `score` is a similarity instead, here a Gaussian of the distance. From here
on queries and keys mean something: weights come from comparing them. statsmodels' local constant
regression is the same function.
"""

from pathlib import Path

import torch
from command import Numbers, run
from noisy_curve import MEASURED, X, Y, drawn, error
from statsmodels.nonparametric.kernel_regression import KernelReg

from regard import attend
from regard.attention import gaussian
from regard.figures.plots import Plot, plots
from regard.figures.style import save

BANDWIDTHS = (0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 2.0, 4.0)


def main(output: Path | None = None) -> Numbers:
    estimates = {h: attend(X, X, Y, score=gaussian(h)) for h in BANDWIDTHS}

    errors = [error(estimate) for estimate in estimates.values()]
    best = BANDWIDTHS[errors.index(min(errors))]
    # A query need not be one of the keys: the curve between and beyond the measurements.
    grid = torch.linspace(-1, 14, 97, dtype=X.dtype)[:, None]
    ours = attend(grid, X, Y, score=gaussian(best))[:, 0].numpy()
    x, y = X[:, 0].numpy(), Y[:, 0].numpy()
    theirs = KernelReg(y, x, var_type="c", reg_type="lc", bw=[best], rng=0).fit(grid[:, 0].numpy())[
        0
    ]
    apart = float(abs(ours - theirs).max())
    print(f"Best with bandwidth {best:g}: wrong by {min(errors):.3f}.")
    print(f"statsmodels' KernelReg differs by at most {apart:.1e} at {len(grid)} places.")
    if output:
        lines = drawn(kernel_regression=estimates[best])
        panels = [
            Plot(f"A Gaussian of the distance, h = {best:g}", "x", "y", lines, MEASURED),
            Plot("How wide it is", "h", "error", {"error": (BANDWIDTHS, errors)}, log="x"),
        ]
        save(plots(panels), output / "04_kernel_regression.svg")
    return {"bandwidth": best, "error": min(errors), "from_statsmodels": apart}


if __name__ == "__main__":
    run(main)
