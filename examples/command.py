"""Every example's command line: it prints its numbers; `--output FOLDER` keeps and draws them."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

Numbers = dict[str, float]


def run(main: Callable[[Path | None], Numbers]) -> None:
    """Calls an example's `main`; with a folder, there will be NAME.json beside its pictures."""
    story = sys.modules[main.__module__].__doc__ or ""
    parser = argparse.ArgumentParser(description=story.split("\n\n")[0])
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="where to write the pictures")
    output = parser.parse_args().output
    if output is not None and output.is_file():
        parser.error(f"--output must be a folder; {output} is a file. Name another.")
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    numbers = main(output)
    if output is not None:
        text = json.dumps(numbers, indent=2, ensure_ascii=False)
        (output / f"{Path(sys.argv[0]).stem}.json").write_text(text + "\n", encoding="utf-8")
