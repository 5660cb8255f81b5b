"""Every example's command line: it prints its numbers; `--output FOLDER` keeps and draws them.

An example that needs a file of the reader's takes its name as an argument.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

Numbers = dict[str, float]


def run(main: Callable[..., Numbers], *, data: str = "") -> None:
    """Calls an example's `main` with a folder for its pictures and NAME.json, or None; then, if
    `data` says what the reader's file must have in it, with that file's path."""
    story = sys.modules[main.__module__].__doc__ or ""
    parser = argparse.ArgumentParser(description=story.split("\n\n")[0])
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="where to write the pictures")
    if data:
        parser.add_argument("data", type=Path, metavar="FILE", help=data)
    options = parser.parse_args()
    output, files = options.output, [options.data] if data else []
    for file in files:
        if not file.is_file():
            parser.error(f"FILE must be a file of {data}; there is no {file}. Name another.")
    if output is not None and output.is_file():
        parser.error(f"--output must be a folder; {output} is a file. Name another.")
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    numbers = main(output, *files)
    if output is not None:
        text = json.dumps(numbers, indent=2, ensure_ascii=False)
        (output / f"{Path(sys.argv[0]).stem}.json").write_text(text + "\n", encoding="utf-8")
