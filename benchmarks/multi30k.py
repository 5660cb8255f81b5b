"""Multi30k, English to German: minutes of training to a BLEU, and the finished model's scores.

    python benchmarks/multi30k.py --train          # trains first, by the recipe below
    python benchmarks/multi30k.py --run runs/multi30k

The curve is the run's own: BLEU of greedy decoding on the validation set by the mean of the newest
checkpoints, minutes with all evaluations counted in. The scores are of test_2016_flickr, beam 5,
by sacreBLEU, cased. The same command with --train again resumes an interrupted training.
"""

import argparse
import json
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "multi30k"
REGARD = str(Path(sys.executable).with_name("regard"))
RECIPE = [
    *("--source-language", "en", "--target-language", "de"),
    *("--license", "non-commercial research", "--data-note", "Multi30k (Elliott et al. 2016)"),
    *("--preset", "tiny", "--norm", "pre", "--dropout", "0.3", "--vocab-size", "8000"),
    *("--max-tokens", "2560", "--label-smoothing", "0.1"),
    *("--learning-rate", "4e-3", "--warmup", "1000"),
    *("--eval-every", "400", "--dev-sentences", "500", "--average", "3", "--patience", "0"),
    *("--max-steps", "6400", "--cooldown", "1600", "--max-minutes", "60"),
]
MILESTONES = (25, 30, 35)
NOT_SHOWN = {"output", "dev", "data_sha256"}  # where things lay on the machine


def print_curve(run: Path) -> None:
    """When BLEU on the validation set first reached each milestone, and where it ended."""
    lines = (run / "log.jsonl").read_text(encoding="utf-8").splitlines()
    log = [json.loads(line) for line in lines]
    minutes = {
        entry["step"]: (entry["seconds"] / 60, entry["figures"]["bleu"])
        for entry in sorted(log, key=lambda entry: entry["step"])
    }
    for milestone in MILESTONES:
        reached = next((time for time, bleu in minutes.values() if bleu >= milestone), None)
        print(f"BLEU {milestone}   " + ("not reached" if reached is None else f"{reached:.1f} min"))
    best = max(minutes, key=lambda step: minutes[step][1])
    for name, step in (("best", best), ("last", max(minutes))):
        time, bleu = minutes[step]
        print(f"{name}      {bleu:.2f} at step {step:,}, {time:.1f} min")
    tokens, seconds = log[-1]["tokens"], log[-1]["seconds"]
    print(f"speed     {tokens / seconds:,.0f} target tokens/s, evaluations counted in")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="Multi30k's folder")
    parser.add_argument("--run", type=Path, default=ROOT / "runs" / "multi30k")
    parser.add_argument("--train", action="store_true", help="train in the run's folder first")
    arguments = parser.parse_args()
    train, dev, test = (
        arguments.data / f"{part}.en-de.tsv" for part in ("train", "val", "test_2016_flickr")
    )
    for file in (train, dev, test):
        if not file.is_file():
            parser.exit(0, f"{parser.prog} needs Multi30k; {file} is not there.\n")
    recipe = [REGARD, "train", "translation", str(train), "--dev", str(dev), *RECIPE]
    if arguments.train:
        subprocess.run([*recipe, "--output", str(arguments.run)], check=True)
    if not (arguments.run / "log.jsonl").is_file():
        parser.exit(
            0,
            f"{parser.prog} needs --run with a finished run, or --train to make {arguments.run}.\n",
        )

    options = json.loads((arguments.run / "run.json").read_text(encoding="utf-8"))["options"]
    shown = (f"{name} {value}" for name, value in options.items() if name not in NOT_SHOWN)
    print(textwrap.fill(f"the run's options: {', '.join(shown)}", 100))
    print("\nvalidation set, greedy")
    print_curve(arguments.run)
    print("\ntest_2016_flickr, beam 5", flush=True)
    evaluate = [REGARD, "evaluate", str(arguments.run / "model"), str(test), "--num-beams", "5"]
    subprocess.run(evaluate, check=True)


if __name__ == "__main__":
    main()
