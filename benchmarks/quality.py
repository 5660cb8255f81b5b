"""What packing costs: each shipped model by torch and packed, on its development set.

    python benchmarks/quality.py
    python benchmarks/quality.py --data ../shared/data --models digits emotions

For each model and precision, `regard pack MODEL --check DATA`: the model's figure by torch and
packed, the share of the results that are the same (labels, translations, ranks, likeliest next
characters), and the size of the packed model. The models were chosen on these sets.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[2] / "shared" / "data"
PRECISIONS = ("fp32", "int8", "int4")
HEADER = ("model", "data", "figure", "torch", "precision", "packed", "difference", "same", "MB")


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


def measured(model: str, precision: str, data: Path) -> dict[str, Any]:
    """What `regard pack --json` prints."""
    command = [sys.executable, "-m", "regard", "pack", model, "--precision", precision]
    command += ["--check", str(data), "--threads", "1", "--json"]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return found


def rows(model: str, name: str, precision: str, found: dict[str, Any]) -> list[tuple[str, ...]]:
    """A line of the table for each figure."""
    check, size = found["check"], f"{found['bytes'] / 1e6:.1f}"
    count = f"{name.split('/')[0]}, {check['examples']:,}"
    found_rows = []
    for figure, (exact, packed) in check["figures"].items():
        values = (f"{exact:.4f}", precision, f"{packed:.4f}", f"{packed - exact:+.4f}")
        found_rows.append((model, count, figure, *values, f"{check['same']:.2%}", size))
    return found_rows


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
            for precision in PRECISIONS:
                for row in rows(model, name, precision, measured(model, precision, data)):
                    print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
