"""Training speed beside torch.nn.Transformer and JoeyNMT, in target tokens per second.

    python benchmarks/training_speed.py
    python benchmarks/training_speed.py PAIRS --joeynmt /path/to/venv/bin/python

A token counts when it is a real target token, end of sentence included: no padding, no source.
Every model is of one preset's size (by default tiny's: 4 + 4 layers, d_model 128, 4 heads),
pre-norm, with one table for both sides and the output, dropout 0.3 and label smoothing 0.1; a batch
has at most --max-tokens padded target tokens. The contenders take turns, so that a drift of the
machine hits all.

regard is `regard train translation` itself, by its own clock, from fetching the batch to the new
weights. torch.nn.Transformer gets the same batches and the same kind of step. JoeyNMT is its own
training command, its own batches and its own figure, from a Python with JoeyNMT 2.3 that --joeynmt
or JOEYNMT_PYTHON names.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch
from peers.joeynmt import JoeyNMT
from peers.plain_torch import PlainTorch

from regard.data import Batches
from regard.models import preset
from regard.tasks.translation.train import TranslationRecipe, train_translation
from regard.tasks.translation.train_options import TrainingOptions
from regard.training import Progress
from regard.training.precision import choose_dtype

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "multi30k" / "train.en-de.tsv"


class Turns:
    """Watches regard's training; after each of its turns lets the others do the same steps."""

    def __init__(
        self,
        batches: Batches,
        plain: dict[str, PlainTorch],
        joeynmt: JoeyNMT | None,
        *,
        warmup: int,
        steps: int,
    ):
        self.batches, self.plain, self.joeynmt = batches, plain, joeynmt
        self.warmup, self.steps = warmup, steps
        self.speeds: dict[str, list[float]] = {}
        self.started = (0, 0.0)  # tokens and seconds of regard's run when its turn began

    def watch(self, event: str, progress: Progress) -> None:
        """Called by the training after each step."""
        if event != "step":
            return
        if progress.step == self.warmup:
            for model in self.plain.values():
                self.tokens_per_second(model, range(self.warmup))
        elif progress.step > self.warmup and (progress.step - self.warmup) % self.steps == 0:
            tokens, seconds = progress.tokens - self.started[0], progress.seconds - self.started[1]
            self.note("regard", tokens / seconds)
            same = range(progress.step - self.steps, progress.step)
            for name, model in self.plain.items():
                self.note(name, self.tokens_per_second(model, same))
            if self.joeynmt is not None:
                speed = self.joeynmt.tokens_per_second(self.steps, threads=torch.get_num_threads())
                self.note(f"JoeyNMT {self.joeynmt.version}, fp32", speed)
        else:
            return
        self.started = (progress.tokens, progress.seconds)

    def tokens_per_second(self, model: PlainTorch, steps: range) -> float:
        tokens, started = 0, time.perf_counter()
        for step in steps:
            batch = self.batches.at(step)
            model.step(batch)
            tokens += batch.num_target_tokens
        return tokens / (time.perf_counter() - started)

    def note(self, name: str, speed: float) -> None:
        self.speeds.setdefault(name, []).append(speed)


def tell(sentence: str) -> None:
    """Shows how far the script is, aside from the result."""
    print(sentence, file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="?", default=PAIRS, type=Path, help="Multi30k en→de's train")
    parser.add_argument("--joeynmt", default=os.environ.get("JOEYNMT_PYTHON"), metavar="PYTHON")
    parser.add_argument("--steps", type=int, default=10, help="of each contender in a round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--warmup", type=int, default=5, help="steps before the first round")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--preset", default="tiny", help="base: 6 + 6 layers, d_model 512")
    parser.add_argument("--max-tokens", type=int, default=4096, help="of a batch's target side")
    arguments = parser.parse_args()
    if not arguments.pairs.is_file():
        parser.exit(0, f"{parser.prog} needs Multi30k's pairs; {arguments.pairs} is not there.\n")
    torch.set_num_threads(arguments.threads)

    with tempfile.TemporaryDirectory() as folder:
        options = TrainingOptions(
            output=f"{folder}/run",
            preset=arguments.preset,
            norm="pre",
            dropout=0.3,
            label_smoothing=0.1,
            vocab_size=8000,
            max_tokens=arguments.max_tokens,
            max_steps=arguments.warmup + arguments.rounds * arguments.steps,
            evaluate_every=10**6,
            dev_sentences=1,
        )
        recipe = TranslationRecipe(str(arguments.pairs), options, say=tell, command="")
        data = recipe.prepare(Path(folder, "run", "data"))
        tokenizer = data.tokenizers.target
        ids = {"pad_id": tokenizer.pad_id, "eos_id": tokenizer.eos_id}
        size = preset(
            arguments.preset,
            tokenizer.vocab_size,
            norm="pre",
            start_id=tokenizer.pad_id,
            dropout=0.3,
            **ids,
        )
        batches = Batches(data.train, max_tokens=options.max_tokens, seed=options.seed, **ids)
        smoothing = {"label_smoothing": options.label_smoothing}
        plain = {
            "torch.nn.Transformer, fp32": PlainTorch(size, bf16=False, **smoothing),
            "torch.nn.Transformer, bf16 autocast": PlainTorch(size, bf16=True, **smoothing),
        }
        joeynmt = None
        if arguments.joeynmt:
            joeynmt = JoeyNMT(arguments.joeynmt, Path(folder, "joey"), data, size, **smoothing)
        turns = Turns(batches, plain, joeynmt, warmup=arguments.warmup, steps=arguments.steps)
        train_translation(str(arguments.pairs), options, watch=turns.watch, say=tell)

    dtype = choose_dtype("auto", torch.device("cpu"))
    print(f"torch {torch.__version__}, {arguments.threads} threads; regard's precision: {dtype}")
    print(f"{arguments.pairs.name}: {len(data.train):,} pairs, {size.vocab_size:,} subwords")
    print(f"{arguments.rounds} rounds of {arguments.steps} steps each\n")
    print(f"{'target tokens per second':38}{'median':>8}{'lowest':>8}{'highest':>8}  regard is")
    for name, speeds in turns.speeds.items():
        ratio = statistics.median(
            ours / theirs for ours, theirs in zip(turns.speeds["regard"], speeds, strict=True)
        )
        figures = (statistics.median(speeds), min(speeds), max(speeds))
        print(f"{name:38}" + "".join(f"{f:8,.0f}" for f in figures) + f"  {ratio:.1f} × as fast")
    if joeynmt is None:
        print("JoeyNMT was not measured: --joeynmt names a Python that has it.")


if __name__ == "__main__":
    main()
