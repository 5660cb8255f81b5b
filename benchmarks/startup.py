"""Start-up: wall time of commands in new processes, beside importing torch and transformers.

    python benchmarks/startup.py

Each command runs once to warm the disk's cache, which packs the model, and then five times; the
commands take turns. The last column is the median of the processor time, which depends less on what
else runs on the machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

REGARD = str(Path(sys.executable).with_name("regard"))
SENTENCE = "I would like to drink a cup of tea with my friends."


def seconds(command: list[str]) -> tuple[float, float]:
    """Wall time of a command, from its start to its end, and its processor time."""
    # A user's Python keeps the bytecode it has compiled.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started, before = time.perf_counter(), os.times()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    after = os.times()
    used = after.children_user - before.children_user
    return time.perf_counter() - started, used + after.children_system - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de", help="a shipped model or a folder")
    parser.add_argument("--runs", type=int, default=5, help="of each command, after one more")
    arguments = parser.parse_args()
    if not Path(REGARD).exists():
        parser.exit(0, f"{parser.prog} needs the command regard beside {sys.executable}.\n")

    from regard.catalog import FOLDER

    translate = [REGARD, "translate", SENTENCE, "--model", arguments.model]
    commands = {
        "regard --help": [REGARD, "--help"],
        'regard translate "…"': translate,
        'regard look en-de "…" --terminal': [REGARD, "look", "en-de", SENTENCE, "--terminal"],
        'regard translate "…" --engine native': [*translate, "--engine", "native"],
        'regard translate "…" --engine torch': [*translate, "--engine", "torch"],
        'python -c "import torch"': [sys.executable, "-c", "import torch"],
    }
    if not any((place / arguments.model / "config.json").exists() for place in (Path(), FOLDER)):
        commands = {name: each for name, each in commands.items() if "translate" not in name}
        print(f"regard translate was not measured: there is no model {arguments.model}.")
    if find_spec("transformers"):
        program = "from transformers import MarianMTModel"
        commands[f'python -c "{program}"'] = [sys.executable, "-c", program]
    else:
        print("transformers was not measured: it is not installed.")

    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(arguments.runs + 1):
        for name, command in commands.items():
            times[name].append(seconds(command))
    print(f"{'seconds':55}{'median':>8}{'lowest':>8}{'highest':>9}{'processor':>11}")
    for name, (_, *counted) in times.items():
        wall, used = zip(*counted, strict=True)
        median = statistics.median(wall)
        print(
            f"{name:55}{median:8.2f}{min(wall):8.2f}{max(wall):9.2f}{statistics.median(used):11.2f}"
        )


if __name__ == "__main__":
    main()
