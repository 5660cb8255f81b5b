"""What a precision costs: each shipped model by torch and natively, on its development set.

    python benchmarks/quality.py
    python benchmarks/quality.py --data ../shared/data --models digits emotions

For each model and precision: the model's figure by torch and by the native engine, and the share of
the results that are the same (labels, translations, ranks, likeliest next characters). The models
were chosen on these sets.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import regard
from regard.engine.native.library import PRECISIONS
from regard.generation.config import decoding_of
from regard.tasks.evaluation import RECIPES, evaluator_of, kind_of_model

DATA = Path(__file__).parents[2] / "shared" / "data"
HEADER = ("model", "data", "figure", "torch", "precision", "native", "difference", "same")


def as_it_is(source: Path, folder: Path) -> Path:
    """The file itself."""
    return source


def last_tenth(source: Path, folder: Path) -> Path:
    """The last tenth of a text."""
    text, path = source.read_text(encoding="utf-8"), folder / source.name
    path.write_text(text[-(len(text) // 10) :], encoding="utf-8")
    return path


def last_images(source: Path, folder: Path) -> Path:
    """The last tenth of a file of images."""
    arrays, path = np.load(source), folder / "images.npz"
    np.savez(path, **{name: arrays[name][-len(arrays[name]) // 10 :] for name in arrays.files})
    return path


SETS: list[tuple[str, str, Callable[[Path, Path], Path]]] = [
    ("digits", "mnist/train.npz", last_images),
    ("emotions", "goemotions/dev.jsonl", as_it_is),
    ("shakespeare", "shakespeare/input.txt", last_tenth),
    ("sentences", "tatoeba_en_de/dev.tsv", as_it_is),
    ("en-hi", "tatoeba_en_hi/dev.tsv", as_it_is),
    ("en-de", "tatoeba_en_de/dev.tsv", as_it_is),
]


def measured(task: Any, kind: str, examples: Any, evaluator: Any) -> tuple[dict[str, float], Any]:
    """Figures of a task, and what it gave."""
    result = evaluator.score(task, examples)
    names = ("bleu", "chrf") if kind == "translation" else (evaluator.compared(result),)
    return {name: result.figures[name] for name in names}, np.asarray(evaluator.outputs(result))


def rows(model: str, name: str, data: Path) -> Iterator[tuple[str, ...]]:
    """A line of the table for each precision and figure."""
    kind = kind_of_model(model)
    settings = RECIPES[kind].options_class().evaluation.settings()
    evaluator = evaluator_of(kind, model, dict.fromkeys(decoding_of(settings)))
    examples, task = evaluator.read(str(data)), regard.load(model)
    exact, expected = measured(task.run_by("torch"), kind, examples, evaluator)
    for precision in PRECISIONS:
        native = task.run_by("native", precision=precision)
        figures, outputs = measured(native, kind, examples, evaluator)
        same = (outputs == expected).reshape(len(expected), -1).all(1).mean()
        count = f"{name.split('/')[0]}, {len(expected):,}"
        for figure, value in figures.items():
            values = (f"{exact[figure]:.4f}", precision, f"{value:.4f}")
            yield (model, count, figure, *values, f"{value - exact[figure]:+.4f}", f"{same:.2%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the sets' folders")
    parser.add_argument("--models", nargs="*", default=[model for model, _, _ in SETS])
    arguments = parser.parse_args()
    chosen = [each for each in SETS if each[0] in arguments.models]
    missing = [name for _, name, _ in chosen if not (arguments.data / name).is_file()]
    if missing:
        parser.exit(0, f"{parser.prog} needs {', '.join(missing)} in {arguments.data}.\n")
    print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for model, name, prepared in chosen:
            data = prepared(arguments.data / name, Path(folder))
            for row in rows(model, name, data):
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
