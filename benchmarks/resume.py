"""Resuming: a training killed with kill -9 in mid-epoch ends with the weights of one that was not.

    python benchmarks/resume.py
    python benchmarks/resume.py PAIRS --threads 2

The same `regard train translation` command runs twice: once undisturbed, once killed half-way
between two evaluations, started again, killed again and started again. The number of threads is
the same, since it decides in which order floating-point sums are taken.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "multi30k" / "train.en-de.tsv"
KILLS = 2


def killed(command: list[str], seconds: float) -> None:
    """Starts a training and kills it so many seconds after its first evaluation."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    process.kill()
    if process.wait() != -signal.SIGKILL:
        sys.exit("The training had ended before it was killed: give more --steps.")


def newest(run: Path) -> Path:
    """The folder of a run's last checkpoint."""
    return max((run / "checkpoints").glob("step-*"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="?", default=PAIRS, type=Path, help="sentence pairs, TSV")
    parser.add_argument("--count", type=int, default=8000, help="pairs to take from the file")
    parser.add_argument("--steps", type=int, default=90, help="in all; an evaluation each third")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if not arguments.pairs.is_file():
        parser.exit(0, f"{parser.prog} needs sentence pairs; {arguments.pairs} is not there.\n")

    from regard.data import Batches, TokenStore
    from regard.files import sha256

    with tempfile.TemporaryDirectory() as folder:
        subset = Path(folder, "pairs.tsv")
        with open(arguments.pairs, encoding="utf-8") as file:
            subset.write_text("".join(islice(file, arguments.count)), encoding="utf-8")
        recipe = f"--vocab-size 4000 --max-steps {arguments.steps}"
        recipe += f" --eval-every {arguments.steps // 3} --dev-sentences 50"
        recipe += f" --threads {arguments.threads} --json"
        command = [str(Path(sys.executable).with_name("regard")), "train", "translation"]
        command += [str(subset), *recipe.split(), "--output"]
        whole, broken = Path(folder, "uninterrupted"), Path(folder, "interrupted")

        print(f"{arguments.count:,} pairs of {arguments.pairs.name}: {recipe}")
        log = subprocess.run([*command, str(whole)], check=True, capture_output=True, text=True)
        entries = [json.loads(line) for line in log.stdout.splitlines()]
        ends = [entry["seconds"] for entry in entries if "step" in entry]  # not the test's scores
        store = TokenStore.open(whole / "data" / "train.tokens")
        epoch = len(Batches(store, max_tokens=4096, pad_id=0, eos_id=1))
        print(f"uninterrupted: {arguments.steps} steps, {arguments.steps / epoch:.2f} epochs")
        for number in range(KILLS):
            killed([*command, str(broken)], seconds=(ends[-1] - ends[0]) / 4)
            step = int(newest(broken).name.removeprefix("step-"))
            lost = arguments.steps // 6
            print(
                f"kill -9 number {number + 1}: about {lost} steps after the checkpoint of step"
                f" {step}, in epoch {(step + lost) / epoch:.2f}"
            )
        subprocess.run([*command, str(broken)], check=True, capture_output=True)

        same = True
        for end in (
            newest(whole) / "weights.safetensors",
            newest(whole) / "optimizer.safetensors",
            whole / "model" / "model.safetensors",
        ):
            name = end.relative_to(whole)
            sums = sha256(end), sha256(broken / name)
            same &= sums[0] == sums[1]
            print(f"\n{name}, SHA-256\n  uninterrupted  {sums[0]}\n  interrupted    {sums[1]}")
    print("\nequal, bit for bit" if same else "\nDIFFERENT")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
