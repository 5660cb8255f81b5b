"""SciTLDR, one sentence for the abstract of a paper: ROUGE beside that of the abstract's beginning.

    python benchmarks/summarization.py --train          # trains first, by the recipe below
    python benchmarks/summarization.py --run runs/scitldr
    python benchmarks/summarization.py --train --minutes 7 --option=--from --option=path/to/bart

The data are those of Cachola et al. 2020: 1,992 abstracts to learn from, and 619 whose summaries by
authors and reviewers are the references. The curve is of greedy decoding on 200 of the dev set; the
table is of all of it, as the finished model decodes. The same command with --train again resumes an
interrupted training.
"""

import argparse
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import regard
from regard.errors import RegardError
from regard.tasks.summarization.score import NAMES, SummaryEvaluator
from regard.tasks.summarization.train_options import SummaryEvaluationOptions
from regard.training.examples import read_examples

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "scitldr"
RECIPE = [
    *("--license", "apache-2.0", "--data-note", "SciTLDR (Cachola et al. 2020)"),
    *("--max-source-length", "256", "--max-length", "64", "--max-tokens", "2048"),
]
SCRATCH = ["--preset", "tiny", "--warmup", "200", "--eval-every", "100", "--patience", "0"]
NOT_SHOWN = {"output", "dev", "data_sha256"}  # where things lay on the machine


def print_curve(run: Path) -> None:
    """The loss and ROUGE of every evaluation."""
    for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        figures = entry["figures"]
        scores = "  ".join(f"{title} {figures[name]:5.2f}" for name, title in NAMES.items())
        print(
            f"step {entry['step']:>6,}  {entry['seconds'] / 60:5.1f} min  loss"
            f" {figures['loss']:.3f}  {scores}  {figures['distinct']:.0%} distinct"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="SciTLDR's folder")
    parser.add_argument("--run", type=Path, default=ROOT / "runs" / "scitldr")
    parser.add_argument("--train", action="store_true", help="train in the run's folder first")
    parser.add_argument("--minutes", type=float, default=30, help="of training")
    parser.add_argument("--option", action="append", default=[], help="one more for the training")
    arguments = parser.parse_args()
    train, dev = (arguments.data / f"{part}.jsonl" for part in ("train", "dev"))
    for file in (train, dev):
        if not file.is_file():
            parser.exit(0, f"{parser.prog} needs SciTLDR; {file} is not there.\n")
    if arguments.train:
        recipe = RECIPE if "--from" in arguments.option else [*RECIPE, *SCRATCH]
        command = [sys.executable, "-m", "regard", "train", "summarization", str(train)]
        limits = ["--dev", str(dev), "--max-minutes", str(arguments.minutes)]
        output = ["--output", str(arguments.run)]
        subprocess.run([*command, *recipe, *limits, *arguments.option, *output], check=True)
    if not (arguments.run / "log.jsonl").is_file():
        parser.exit(
            0,
            f"{parser.prog} needs --run with a finished run, or --train to make {arguments.run}.\n",
        )

    options = json.loads((arguments.run / "run.json").read_text(encoding="utf-8"))["options"]
    shown = (f"{name} {value}" for name, value in options.items() if name not in NOT_SHOWN)
    print(textwrap.fill(f"the run's options: {', '.join(shown)}", 100))
    print("\ndev set, greedy")
    print_curve(arguments.run)
    examples = list(read_examples(arguments.run / "data" / "dev.jsonl"))
    print("\ndev set, as the finished model decodes", flush=True)
    try:
        model = regard.load(str(arguments.run / "model"), "summarization")
        report = SummaryEvaluator(SummaryEvaluationOptions(batch_size=32)).report(model, examples)
    except RegardError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    print("\n".join(report.lines()))


if __name__ == "__main__":
    main()
