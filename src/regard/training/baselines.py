"""Figures that a trained model is compared with on dev and test, in a run's baselines.json."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from regard.files import write_json
from regard.json_files import read_object

Figures = Mapping[str, float]
Baselines = Mapping[str, Mapping[str, Figures]]  # part of the data → name → figures
FILE = "baselines.json"


def write_baselines(run: Path, baselines: Baselines, say: Callable[[str], None]) -> None:
    """Write the file, and say what a model that has learned something must exceed."""
    if baselines:
        write_json(run / FILE, baselines)
    for part, figures in baselines.items():
        say(f"{part}: {'; '.join(spelled(figures))}")


def read_baselines(run: Path, part: str) -> Mapping[str, Figures]:
    """Return the figures on a part of the data by name; none for a run that has none."""
    file = run / FILE
    figures: Mapping[str, Figures] = read_object(file).get(part, {}) if file.exists() else {}
    return figures


def spelled(baselines: Mapping[str, Figures]) -> Iterator[str]:
    """Yield `logistic regression on the vectors of minilm 95.0%` for each."""
    for name, figures in baselines.items():
        yield f"{name} {next(iter(figures.values())):.1%}"
