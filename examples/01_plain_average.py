"""The plain average: every value weighs the same, for every query.

Attention is a weighted average of values. Its simplest weights are equal ones, and what they give
is the same for every query: all that is particular to a place is averaged away.
"""

from pathlib import Path

from command import Numbers, run
from noisy_curve import MEASURED, NOISE, X, Y, drawn, error

from regard import attend, attention_weights
from regard.figures.plots import Plot, plots
from regard.figures.style import save


def main(output: Path | None = None) -> Numbers:
    estimate = attend(X, X, Y, score="average")

    weight = attention_weights(X, X, score="average")[0, 0].item()
    print(f"Every one of {len(X)} measurements weighs {weight:.4f}.")
    print(f"A measurement is wrong by {error(Y):.3f}, their average by {error(estimate):.3f}.")
    if output:
        lines = drawn(plain_average=estimate)
        panel = Plot("The plain average", "x", "y", lines, MEASURED)
        save(plots([panel]), output / "01_plain_average.svg")
    return {
        "noise": NOISE,
        "weight": weight,
        "spread": (estimate.max() - estimate.min()).item(),
        "error_measured": error(Y),
        "error": error(estimate),
    }


if __name__ == "__main__":
    run(main)
