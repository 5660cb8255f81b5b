"""Why attention: how far a symbol must travel to its copy, and what arrives.

A recurrent model carries what it read through every step between; attention looks back in one.
Copying rows of random symbols shows what that costs: time against length, and how much is right.

By default the models are trained for seconds, which shows that it runs, and the picture is of the
last full training, benchmarks/results/copy.json; `--full` makes that file again in some minutes.
"""

import json
import sys
from pathlib import Path
from typing import Any

from command import Numbers, run
from copy_task import NAMES, accuracy, build, seconds, train

from regard.figures.plots import Plot, plots
from regard.figures.style import save

RESULT = Path(__file__).parents[1] / "benchmarks" / "results" / "copy.json"
QUICK: dict[str, Any] = dict(steps=20, longest=4, copied=(1, 4), timed=(4, 8))
FULL: dict[str, Any] = dict(
    steps=2500, longest=20, copied=(1, 2, 5, 10, 15, 20, 30, 40), timed=(8, 16, 32, 64, 128)
)

Result = dict[str, Any]


def main(output: Path | None = None) -> Numbers:
    result = measure(**QUICK)
    if output and RESULT.exists():
        save(plots(panels(json.loads(RESULT.read_text("utf-8")))), output / "why_path_length.svg")
    return {
        f"{figure}_{length}_{name}": value
        for name, rows in result["models"].items()
        for figure in ("path", "right", "seconds")
        for length, value in zip(rows[f"{figure}_at"], rows[figure], strict=True)
    }


def measure(*, steps: int, longest: int, copied: tuple[int, ...], timed: tuple[int, ...]) -> Result:
    """Trains each model on rows of up to `longest` symbols; the figures at each length."""
    models: Result = {}
    for name in NAMES:
        model = build(name)
        loss = train(model, longest=longest, steps=steps)
        models[name] = {
            "path_at": list(copied),
            "path": [path_length(name, length) for length in copied],
            "right_at": list(copied),
            "right": [accuracy(model, length) for length in copied],
            "seconds_at": list(timed),
            "seconds": [seconds(model, length) for length in timed],
            "loss": loss,
            "parameters": sum(weights.numel() for weights in model.parameters()),
        }
        right = " ".join(f"{part:.2f}" for part in models[name]["right"])
        path = " ".join(map(str, models[name]["path"]))
        print(f"{name:25} at {copied} symbols: {path} steps, {right} right", flush=True)
    return {"steps": steps, "longest": longest, "models": models}


def path_length(name: str, length: int) -> int:
    """Steps from the last symbol's reading to its writing, which every way there must take.

    With one fixed context the decoder writes it after `length` steps; attention takes one.
    """
    return length if name == NAMES[0] else 1


def panels(result: Result) -> list[Plot]:
    """Path, time and accuracy against length, a line for each model."""

    def lines(figure: str) -> dict[str, Any]:
        return {
            name: (rows[f"{figure}_at"], rows[figure]) for name, rows in result["models"].items()
        }

    return [
        Plot("Steps between a symbol and its copy", "symbols", "steps", lines("path")),
        Plot("A training step's time", "symbols", "processor seconds", lines("seconds"), log="xy"),
        Plot("Symbols copied right", "symbols", "part", lines("right")),
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["--full"]:
        RESULT.write_text(json.dumps(measure(**FULL), indent=2, ensure_ascii=False) + "\n", "utf-8")
    else:
        run(main)
