"""Texts in other languages that a translator refuses, and texts in its own that it refuses wrongly.

    python benchmarks/languages.py --own dev.tsv more.tsv.gz --other german.txt hindi.txt

A file may have columns, of which the first is read. A text of fewer than four words is never
refused, and not counted.
"""

import argparse
from pathlib import Path

import regard
from regard.data.streams import open_bytes
from regard.engine.calibration import Calibration


def texts(file: str) -> list[str]:
    """Read the first column of each line."""
    with open_bytes(Path(file)) as opened:
        lines = opened.read().decode().splitlines()
    return [line.split("\t")[0] for line in lines]


def share(calibration: Calibration, file: str) -> str:
    """Return the share of a file's texts that are refused, as a line."""
    judged = [text for text in texts(file) if calibration.rarity(text)]
    refused = sum(map(calibration.is_foreign, judged))
    return f"{file}: {refused / max(len(judged), 1):.2%} of {len(judged):,} texts are refused"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--own", nargs="*", default=[])
    parser.add_argument("--other", nargs="*", default=[])
    options = parser.parse_args()
    bounds = regard.load(options.model).calibration
    for name in ("own", "other"):
        for file in getattr(options, name):
            print(f"{name:<6}{share(bounds, file)}")
