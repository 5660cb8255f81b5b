"""Whole files: sentences a second of `regard translate`, by threads and by Ray, against a plain
loop and CTranslate2.

    python benchmarks/bulk.py FILE.tsv --lines 100000 --runs loop local-1 local-2 ray-1 ray-2
    python benchmarks/bulk.py FILE.tsv --lines 100000 --runs local-2 ctranslate2-2 --peers PYTHON

FILE has a sentence at the beginning of each line, before a tab if there is one; sentences are drawn
with a fixed seed, and repeated where there are fewer. en-de translates them greedily in int8. A run
is an engine and its number of workers, each with one thread; the loop has one thread, too. Each
line says the seconds of the whole call, those before the first part was done (starting Ray and
loading the model) and after it, sentences a second of all and of those after it, and the
output's SHA-256: equal digests are equal outputs. --output keeps the outputs. CTranslate2 gets all
sentences at once, 32 of which it translates together, in int8 too, by the interpreter of --peers.
"""

import argparse
import hashlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inference import Case, Contender, model_folder

OPTIONS = {"num_beams": 1}


def sentences(file: Path, count: int) -> list[str]:
    with file.open(encoding="utf-8") as opened:
        found = list(dict.fromkeys(line.rstrip("\n").split("\t")[0] for line in opened))
    draw = random.Random(0)
    draw.shuffle(found)
    return [found[k % len(found)] for k in range(count)]


def loop(source: Path, target: Path) -> float:
    """A plain loop: 1,000 lines at a time, in this process."""
    import regard

    translator = regard.load("en-de").run_by("native", precision="int8")
    first = time.monotonic()
    lines = source.read_text(encoding="utf-8").splitlines()
    with target.open("w", encoding="utf-8") as file:
        for start in range(0, len(lines), 1000):
            for result in translator.run(lines[start : start + 1000], **OPTIONS):
                print(" ".join(result.text.splitlines()), file=file)
    return first


def job(engine: str, workers: int, source: Path, target: Path) -> float:
    """The moment at which the first part was done."""
    from regard.cli.jobs.job import Job
    from regard.cli.task_command import call

    done: list[float] = []

    @contextmanager
    def bar(total: int, before: int) -> Iterator[Any]:
        yield lambda lines: done.append(time.monotonic())

    options = dict(model="en-de", precision="int8", runner=engine, workers=workers, threads=1)
    Job(call("translate", input=source, output=target, **options, **OPTIONS)).run(bar=bar)
    return done[0]


def peer(python: str, engine: str, workers: int, source: Path, target: Path) -> float:
    """The moment at which its model was open."""
    texts = source.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as temporary:
        contender = Contender(
            python, engine, model_folder("translator", Path(temporary)), 1, workers
        )
        first = time.monotonic()
        inputs = {"texts": texts, "together": 32, "beams": 1, "new": 256}
        found = contender.run(Case("all", inputs, len(texts), "sentences"))["output"]
        contender.close()
    target.write_text("".join(f"{text}\n" for text in found), encoding="utf-8")
    return first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument(
        "--runs", nargs="+", default=["loop", "local-1", "local-2", "ray-1", "ray-2"]
    )
    parser.add_argument("--output", type=Path)
    parser.add_argument(
        "--peers", default=sys.executable, help="the interpreter that has CTranslate2"
    )
    arguments = parser.parse_args()
    if arguments.file is None:
        raise SystemExit  # nothing to translate: the last result stays as it is
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.output or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "in.txt"
        texts = sentences(arguments.file, arguments.lines)
        source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        print(f"{arguments.lines:,} sentences, en-de int8, greedy; {os.cpu_count()} processors")
        print(
            f"{'run':13} {'seconds':>8} {'start':>7} {'after':>8} {'per second':>11}"
            f" {'after':>8}  output"
        )
        for name in arguments.runs:
            engine, _, workers = name.partition("-")
            target = folder / f"{name}.txt"
            target.unlink(missing_ok=True)
            began = time.monotonic()
            if engine == "loop":
                first = loop(source, target)
            elif engine == "ctranslate2":
                first = peer(arguments.peers, engine, int(workers), source, target)
            else:
                first = job(engine, int(workers), source, target)
            ended = time.monotonic()
            left = arguments.lines - (1000 if engine in ("local", "ray") else 0)
            after = f"{left / (ended - first):8.1f}" if left > 0 else f"{'':8}"
            digest = hashlib.sha256(target.read_bytes()).hexdigest()[:12]
            print(
                f"{name:13} {ended - began:8.1f} {first - began:7.1f} {ended - first:8.1f}"
                f" {arguments.lines / (ended - began):11.1f} {after}  {digest}",
                flush=True,
            )


if __name__ == "__main__":
    main()
