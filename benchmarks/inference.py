"""The native engine beside the engines that a model would be converted to: work per second.

    python benchmarks/inference.py --peers /path/to/python
    python benchmarks/inference.py translator gpt2 --peers /path/to/python --rounds 5
    python benchmarks/inference.py translator --peers /path/to/python --busy 1

Parts:

    translator  shipped en-de, text to text, of English sentences
    marian      the shape of Marian-base with random weights, 24 tokens to 24
    gpt2        the shape of GPT-2 124M with random weights: 64 new tokens, and reading a prompt
    bert        the shape of BERT-base with random weights: sentences × tokens
    llama       the shape of Llama-3.2-1B with random weights: 32 new tokens; llama4 in 4 bits
    qwen        the shape of Qwen3-0.6B with random weights: 32 new tokens

Every engine runs in a process of its own, with each of its settings of threads (of one run) and
workers (runs at the same time); the processes take turns. "ratio" is the work per second divided by
that of the peers' best setting, medians of the rounds. The same follows for the seconds that all
threads of the process computed, which say more on a busy machine. With --busy, so many other
processes count as fast as they can beside all of it. A peer is run by the interpreter of --peers,
which may be this one; an engine that is not installed there is named and left out.
"""

import argparse
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "peers"))
from random_models import VOCAB, saved

from regard.checkpoints import find_folder, open_checkpoint
from regard.engine.defaults import read_defaults

ENGINE = Path(__file__).parent / "peers" / "engine.py"
PAIRS = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
OURS = {"llama4": "regard_4bit"}  # else "regard", which is int8
# Engine, package, threads of a run, runs at the same time.
CTRANSLATE2 = [("ctranslate2", "ctranslate2", *each) for each in ((1, 1), (2, 1), (1, 2))]
ONNXRUNTIME = [("onnxruntime", "onnxruntime", *each) for each in ((1, 1), (2, 1))]
OPENVINO = [("openvino", "openvino", *each) for each in ((1, 1), (2, 1))]
LLAMACPP = [("llamacpp", "llama_cpp", *each) for each in ((1, 1), (2, 1))]
TRANSFORMERS = [("transformers", "transformers", *each) for each in ((1, 1), (2, 1))]
LLAMACPP4 = [("llamacpp_4bit", "llama_cpp", *each) for each in ((1, 1), (2, 1))]
PEERS = {
    "translator": CTRANSLATE2,
    "marian": CTRANSLATE2,
    "gpt2": CTRANSLATE2[:2] + LLAMACPP,
    "bert": ONNXRUNTIME + OPENVINO,
    "llama": LLAMACPP,
    "llama4": LLAMACPP4,
    "qwen": LLAMACPP + TRANSFORMERS,
}


@dataclass(frozen=True)
class Case:
    """What is timed."""

    name: str
    inputs: dict[str, Any]
    amount: int  # of units
    unit: str


class Contender:
    """An engine with a setting, in its own process."""

    def __init__(self, python: str, engine: str, folder: Path, threads: int, workers: int):
        self.name = f"{engine}, {threads * workers} core{'s' * (threads * workers > 1)}"
        if workers > 1:
            self.name += f", {workers} workers"
        self.cores = threads * workers
        self.engine = engine
        self._process = subprocess.Popen(
            [python, str(ENGINE), engine, str(folder), str(threads), str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def run(self, case: Case) -> dict[str, Any]:
        """Seconds, those of all its threads ("cpu"), and what came out."""
        assert self._process.stdin is not None
        print(json.dumps(case.inputs), file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended.")
        answer: dict[str, Any] = json.loads(line)
        return answer


def cases_of(part: str, texts: list[str]) -> list[Case]:
    """What a part times."""
    ids = np.random.default_rng(7)
    if part == "translator":
        return [
            Case(
                f"{together} together, " + (f"{beams} beams" if beams > 1 else "greedy"),
                {"texts": texts[:many], "together": together, "beams": beams, "new": 256},
                len(texts[:many]),
                "sentences",
            )
            for together, beams, many in ((1, 1, 256), (1, 4, 128), (32, 1, 512), (32, 4, 256))
        ]
    if part == "marian":
        return [
            Case(
                f"{together} together, " + (f"{beams} beams" if beams > 1 else "greedy"),
                {
                    "ids": ids.integers(3, VOCAB[part] - 1, (many, 24)).tolist(),
                    "together": together,
                    "beams": beams,
                    "new": 24,
                },
                many,
                "sentences",
            )
            for together, beams, many in ((1, 1, 4), (1, 4, 3), (32, 1, 64), (32, 4, 64))
        ]
    if part in ("llama", "llama4", "qwen"):
        prompt = ids.integers(3, VOCAB[part.removesuffix("4")], (1, 8)).tolist()
        inputs = {"ids": prompt, "together": 1, "new": 32}
        return [Case("1 together, 32 new", inputs, 32, "tokens")]
    if part == "gpt2":
        found = []
        for rows, length, new in ((1, 8, 64), (8, 8, 64), (1, 128, 1), (1, 1000, 1)):
            prompt = ids.integers(3, VOCAB[part], (rows, length)).tolist()
            name = f"{rows} together, 64 new" if new > 1 else f"a prompt of {length}"
            inputs = {"ids": prompt, "together": rows, "new": new}
            found.append(Case(name, inputs, rows * (new if new > 1 else length), "tokens"))
        return found
    return [
        Case(
            f"{rows} × {length}",
            {"ids": ids.integers(3, VOCAB[part], (rows, length)).tolist()},
            rows * length,
            "tokens",
        )
        for rows, length in ((1, 16), (1, 128), (32, 128))
    ]


def installed(python: str, package: str) -> bool:
    """Whether an interpreter has a package."""
    return not subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode


def contenders_of(part: str, folder: Path, python: str) -> list[Contender]:
    """Ours, and the peers that are installed."""
    settings = [(1, 1), (2, 1)]
    if part == "translator" and os.cpu_count() == 2:
        settings.append((1, 2))
    ours = OURS.get(part, "regard")
    found = [Contender(sys.executable, ours, folder, *each) for each in settings]
    if part in ("translator", "marian", "gpt2"):
        found += [Contender(sys.executable, "regard_fp32", folder, *each) for each in settings]
    missing = {p for _, p, *_ in PEERS[part] if not installed(python, p)}
    for package in sorted(missing):
        print(f"{package} is not measured: {python} does not have it.")
    for engine, package, threads, workers in PEERS[part]:
        if package not in missing:
            found.append(Contender(python, engine, folder, threads, workers))
    return found


def measure(part: str, contenders: list[Contender], cases: list[Case], rounds: int) -> None:
    """Prints a line for each case and contender."""
    peers = [each.name for each in contenders if not each.engine.startswith("regard")]
    for case in cases:
        answers: dict[str, list[dict[str, Any]]] = {each.name: [] for each in contenders}
        for _ in range(rounds + 1):
            for contender in contenders:
                answers[contender.name].append(contender.run(case))
        # The first round warms up.
        rates = {
            clock: {
                name: case.amount / statistics.median(each[clock] for each in found[1:])
                for name, found in answers.items()
            }
            for clock in ("seconds", "cpu")
        }
        best = {
            clock: max((speeds[name] for name in peers), default=math.nan)
            for clock, speeds in rates.items()
        }
        print(f"{part}: {case.name}, {case.unit} a second, ratio; and by seconds of processors")
        first = answers[contenders[0].name][-1]["output"]
        for name, found in answers.items():
            line = f"  {name:32}"
            for clock, speeds in rates.items():
                line += f"{speeds[name]:10.1f}{speeds[name] / best[clock]:8.2f}"
            if part == "translator":
                same = sum(a == b for a, b in zip(found[-1]["output"], first, strict=True))
                line += f"   {same / case.amount:6.1%} as the first's"
            print(line, flush=True)


def model_folder(part: str, folder: Path) -> Path:
    """The part's model in Hugging Face's layout."""
    if part != "translator":
        name = part.removesuffix("4")
        return saved(name, folder / name)
    if not (folder / part).is_dir():
        shutil.copytree(find_folder("en-de"), folder / part)
        file = folder / part / "config.json"
        # CTranslate2's converter takes this for granted of Pegasus, whose config.json lacks it.
        config = json.loads(file.read_text()) | {"normalize_embedding": False}
        file.write_text(json.dumps(config))
    return folder / part


def sentences(pairs: Path) -> list[str]:
    """The English sides of a file of pairs, each once, in random order; without those, one in some
    thousand, that the translator takes for another language."""
    is_foreign = read_defaults(open_checkpoint("en-de"))[""].calibration.is_foreign
    lines = [line.split("\t")[0] for line in pairs.read_text().splitlines()]
    texts = list(dict.fromkeys(line for line in lines if not is_foreign(line)))
    random.Random(1).shuffle(texts)
    return texts


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


@contextmanager
def neighbors(count: int) -> Iterator[None]:
    """So many processes that never rest."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PEERS, []], help="all by default")
    parser.add_argument(
        "--peers", default=sys.executable, help="the interpreter that has the peers"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pairs", type=Path, default=PAIRS, help="TSV with English sentences")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--busy", type=int, default=0, help="processes beside it that never rest")
    parser.add_argument("--folder", type=Path, help="where models are kept for the next run")
    arguments = parser.parse_args()
    versions = f"torch {version('torch')}, regard {version('regard')}"
    print(
        f"{versions}; {processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        f"{f', beside {arguments.busy} busy' if arguments.busy else ''}"
    )
    with tempfile.TemporaryDirectory() as temporary:
        for part in arguments.parts or PEERS:
            texts = []
            if part == "translator":
                if not arguments.pairs.is_file():
                    print(f"translator needs sentence pairs; {arguments.pairs} is not there.")
                    continue
                texts = sentences(arguments.pairs)
            folder = model_folder(part, arguments.folder or Path(temporary))
            contenders = contenders_of(part, folder, arguments.peers)
            cases = [each for each in cases_of(part, texts) if arguments.only in each.name]
            with neighbors(arguments.busy):
                measure(part, contenders, cases, arguments.rounds)
            for contender in contenders:
                contender.close()


if __name__ == "__main__":
    main()
