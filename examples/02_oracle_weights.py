"""The oracle's weights: one who knows the truth says which measurements belong together.

One argument more than the plain average: `bias`, the logarithm of what the oracle would give each
measurement. No one has an oracle; it shows what weights are worth, and what the next examples
try to guess.
"""

from pathlib import Path

import torch
from command import Numbers, run
from noisy_curve import MEASURED, TRUTH, X, Y, drawn, error

from regard import attend
from regard.figures.plots import Plot, plots
from regard.figures.style import save


def main(output: Path | None = None) -> Numbers:
    # It averages over all places where the curve is as high as it is here, near or far.
    alike = (TRUTH - TRUTH.T).abs() < 0.1
    oracle = torch.where(alike, 1.0, 0.0).to(X.dtype)
    estimate = attend(X, X, Y, score="average", bias=oracle.log())

    average = attend(X, X, Y, score="average")
    few = alike.sum(1).double().mean().item()
    print(f"The oracle averages {few:.1f} of {len(X)} measurements.")
    print(f"It is wrong by {error(estimate):.3f}, the plain average by {error(average):.3f}.")
    if output:
        lines = drawn(oracle_weights=estimate)
        panel = Plot("Weights from an oracle", "x", "y", lines, MEASURED)
        save(plots([panel]), output / "02_oracle_weights.svg")
    return {"measurements": few, "error": error(estimate), "error_average": error(average)}


if __name__ == "__main__":
    run(main)
