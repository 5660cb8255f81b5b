"""Start-up: wall time of commands in new processes, beside importing torch and transformers.

    python benchmarks/startup.py

Each command runs once to warm the disk's cache, which packs the model, and then five times; the
commands take turns. The last column is the median of the processor time, which depends less on what
else runs on the machine. `regard studio` is measured until a new page of a Chromium that is open
already shows its first picture, if playwright and Chromium are installed.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REGARD = str(Path(sys.executable).with_name("regard"))
# The time of day, in milliseconds, at which the first ribbon is on screen.
PICTURE = """() => new Promise((done) => {
  const look = () => requestAnimationFrame(() => {
    if (!document.querySelector("[data-handle]")) return look();
    requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
  });
  look();
})"""
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


def first_pictures(runs: int) -> list[float]:
    """Seconds from the start of `regard studio` to its first picture, after one run more."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        return [first_picture(browser) for _ in range(runs + 1)][1:]


def first_picture(browser: Any) -> float:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    started, command = time.time(), [REGARD, "studio", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        page.goto(server.stdout.readline().split()[0], wait_until="commit")
        at: float = page.evaluate(PICTURE)
        server.terminate()
    page.close()
    return at / 1000 - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de", help="a shipped model or a folder")
    parser.add_argument("--runs", type=int, default=5, help="of each command, after one more")
    arguments = parser.parse_args()
    if not Path(REGARD).exists():
        parser.exit(0, f"{parser.prog} needs the command regard beside {sys.executable}.\n")

    from regard.checkpoints.shipped import FOLDER

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
    if not (find_spec("playwright") and shutil.which("chromium")):
        parser.exit(0, "regard studio was not measured: it needs playwright and chromium.\n")
    wall = first_pictures(arguments.runs)
    name = "regard studio: the first picture"
    print(f"{name:55}{statistics.median(wall):8.2f}{min(wall):8.2f}{max(wall):9.2f}")


if __name__ == "__main__":
    main()
