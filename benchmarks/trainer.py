"""Training beside transformers' Trainer, in tokens per second: the same model, data and dtype.

    python benchmarks/trainer.py
    python benchmarks/trainer.py classification --steps 40 --rounds 3

classification  a BERT of preset mini on SST-2's phrases, 32 texts in a batch
language-model  a GPT-2 of 4 layers, 128 wide, on tiny Shakespeare in characters, 12 blocks of 64
summarization   an encoder–decoder of preset tiny on SciTLDR, abstracts of up to 256 tokens

regard is `regard train TASK` itself, by its own clock, from fetching the batch to the new weights.
Trainer opens the folder that regard wrote, gets the same token ids, the same number of texts in a
batch, AdamW (fused), gradients clipped to a norm of 1, texts of similar length together where they
differ, and no logging; its clock starts after the first steps, as regard's does. It is measured in
float32 and with bf16=True, and compared by its better one. A token is one that is not padding, of
source and target. The contenders take turns.
"""

import argparse
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from regard.checkpoints import save_pretrained
from regard.tasks.classification.train import ClassificationRecipe
from regard.tasks.classification.train_options import ClassificationOptions
from regard.tasks.summarization.train import SummarizationRecipe
from regard.tasks.summarization.train_options import SummarizationOptions
from regard.tasks.text_generation.train import LanguageModelRecipe
from regard.tasks.text_generation.train_options import LanguageModelOptions
from regard.training import Progress
from regard.training.recipe import Recipe, learn

DATA = Path(__file__).parents[2] / "shared" / "data"
NEVER = 10**6  # evaluations


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


@dataclass(frozen=True)
class Contest:
    """What both train on, in regard's form and in Trainer's."""

    file: str  # of the data
    recipe: Callable[[str, Path], Recipe[Any, Any]]  # of the data's path and the run's folder
    model: str  # transformers' class
    rows: Callable[[Any, Any], list[dict[str, Any]]]  # of the prepared data and the batches
    labels: int | None = None  # what pads them; None: one number a row


def classification(path: str, output: Path) -> ClassificationRecipe:
    options = ClassificationOptions(
        output=str(output), preset="mini", vocab_size=8000, **COMMON, batch_size=32
    )
    return ClassificationRecipe(path, options, say=say, command="")


def labeled_rows(data: Any, batches: Any) -> list[dict[str, Any]]:
    return [
        {"input_ids": source.tolist(), "labels": int(target[1])} for source, target in data.train
    ]


def language_model(path: str, output: Path) -> LanguageModelRecipe:
    options = LanguageModelOptions(
        output=str(output), tokenizer="characters", block=64, batch_size=12, sample_tokens=0,
        **COMMON,
    )  # fmt: skip
    return LanguageModelRecipe(path, options, say=say, command="")


def block_rows(data: Any, batches: Any) -> list[dict[str, Any]]:
    blocks = [block for step in range(500) for block in batches.at(step).ids.tolist()]
    return [{"input_ids": block, "labels": block} for block in blocks]


def summarization(path: str, output: Path) -> SummarizationRecipe:
    options = SummarizationOptions(
        output=str(output), vocab_size=4000, max_source_length=256, max_length=64,
        label_smoothing=0.0, **COMMON,
    )  # fmt: skip
    return SummarizationRecipe(path, options, say=say, command="")


def summary_rows(data: Any, batches: Any) -> list[dict[str, Any]]:
    end = [data.tokenizers.target.eos_id]
    return [
        {"input_ids": source.tolist() + end, "labels": target.tolist() + end}
        for source, target in data.train
    ]


COMMON: dict[str, Any] = {"precision": "fp32", "device": "cpu", "evaluate_every": NEVER}
CONTESTS = {
    "classification": Contest(
        "sst2/train.tsv", classification, "AutoModelForSequenceClassification", labeled_rows
    ),
    "language-model": Contest(
        "shakespeare/input.txt", language_model, "AutoModelForCausalLM", block_rows, -100
    ),
    "summarization": Contest(
        "scitldr/train.jsonl", summarization, "AutoModelForSeq2SeqLM", summary_rows, -100
    ),
}


class Regard:
    """`regard train`, for some steps at a time; each time it resumes where it stopped."""

    def __init__(self, contest: Contest, folder: Path):
        self.contest, self.folder = contest, folder
        self.recipe = contest.recipe(str(DATA / contest.file), folder)
        self.data = self.recipe.prepare(folder / "data")
        torch.manual_seed(1)
        self.model = self.recipe.model(self.data)
        self.batches = self.recipe.batches(self.data, self.model)
        self.rounds = 0

    def speed(self, warmup: int, steps: int) -> float:
        """Tokens a second of a new run, without its first steps."""
        self.rounds += 1
        clock: list[tuple[int, float]] = []

        def watch(event: str, progress: Progress) -> None:
            if event == "step" and progress.step in (warmup, warmup + steps):
                clock.append((progress.tokens, time.perf_counter()))
                if progress.step > warmup:
                    raise Enough

        output = str(self.folder / f"run-{self.rounds}")
        self.recipe.options = replace(self.recipe.options, output=output, max_steps=10**5)
        with suppress(Enough):
            learn(self.recipe, data=self.data, watch=watch)
        (tokens, started), (more, ended) = clock
        return (more - tokens) / (ended - started)


class Enough(Exception):
    """The steps that are timed are over."""


class Trainer:
    """transformers' Trainer on the model that regard wrote, in the dtype of its name."""

    def __init__(self, contest: Contest, folder: Path, rows: list[dict[str, Any]], size: int):
        self.contest, self.folder, self.rows, self.size = contest, folder, rows, size
        lengths = [len(row["input_ids"]) for row in rows]
        self.by_length = len(set(lengths)) > 1

    def speed(self, warmup: int, steps: int, *, bf16: bool) -> float:
        """Tokens a second of a new run, without its first steps."""
        import transformers

        model = getattr(transformers, self.contest.model).from_pretrained(self.folder)
        clock: list[tuple[int, float]] = []
        counted = 0

        def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
            nonlocal counted
            batch = self.padded(rows, model.config.pad_token_id or 0)
            count = batch["labels"] != -100 if self.contest.labels else batch["attention_mask"]
            counted += int(count.sum())
            return batch

        class Clock(transformers.TrainerCallback):
            def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
                if state.global_step in (warmup, warmup + steps):
                    clock.append((counted, time.perf_counter()))

        arguments = transformers.TrainingArguments(
            output_dir=str(self.folder / "trainer"),
            max_steps=warmup + steps,
            per_device_train_batch_size=self.size,
            train_sampling_strategy="group_by_length" if self.by_length else "random",
            optim="adamw_torch_fused",
            max_grad_norm=1.0,
            bf16=bf16,
            use_cpu=True,
            save_strategy="no",
            report_to="none",
            logging_strategy="no",
            disable_tqdm=True,
            remove_unused_columns=False,
        )
        trainer = transformers.Trainer(
            model=model,
            args=arguments,
            train_dataset=self.rows,
            data_collator=collate,
            callbacks=[Clock()],
        )
        trainer.train()
        (tokens, started), (more, ended) = clock
        return (more - tokens) / (ended - started)

    def padded(self, rows: list[dict[str, Any]], pad_id: int) -> dict[str, torch.Tensor]:
        """The rows as one batch."""
        ids = [torch.tensor(row["input_ids"]) for row in rows]
        batch = {
            "input_ids": pad_sequence(ids, batch_first=True, padding_value=pad_id),
            "attention_mask": pad_sequence([torch.ones_like(each) for each in ids], True),
        }
        if self.contest.labels is None:
            return batch | {"labels": torch.tensor([row["labels"] for row in rows])}
        labels = [torch.tensor(row["labels"]) for row in rows]
        return batch | {"labels": pad_sequence(labels, True, self.contest.labels)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", default=list(CONTESTS), help="by default all")
    parser.add_argument("--warmup", type=int, default=5, help="steps that are not timed")
    parser.add_argument("--steps", type=int, default=30, help="of each in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    try:
        import transformers
    except ImportError:
        parser.exit(0, f"{parser.prog} needs transformers and accelerate.\n")
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    print(
        f"torch {torch.__version__}, transformers {transformers.__version__},"
        f" {arguments.threads} threads; {arguments.rounds} rounds of {arguments.steps} steps"
    )
    print(f"\n{'tokens per second':20}{'regard':>9}{'Trainer':>9}{'bf16':>9}   regard is")
    for name in arguments.tasks:
        contest = CONTESTS[name]
        if not (DATA / contest.file).is_file():
            say(f"{name} needs {DATA / contest.file}, which is not there")
            continue
        with tempfile.TemporaryDirectory() as temporary:
            measure(name, contest, Path(temporary), arguments)


def measure(name: str, contest: Contest, folder: Path, arguments: argparse.Namespace) -> None:
    """Lets the contenders take turns, and prints their medians."""
    regard = Regard(contest, folder / "regard")
    save_pretrained(regard.model, folder / "model")
    rows = contest.rows(regard.data, regard.batches)
    batches = [regard.batches.at(step) for step in range(20)]
    size = round(statistics.mean(rows_of(batch) for batch in batches))
    trainer = Trainer(contest, folder / "model", rows, size)
    steps = arguments.warmup, arguments.steps
    turns = [
        (regard.speed(*steps), trainer.speed(*steps, bf16=False), trainer.speed(*steps, bf16=True))
        for _ in range(arguments.rounds)
    ]
    ours, *theirs = (statistics.median(speeds) for speeds in zip(*turns, strict=True))
    ratio = statistics.median(own / max(others) for own, *others in turns)
    figures = "".join(f"{speed:9,.0f}" for speed in (ours, *theirs))
    print(f"{name:20}{figures}   {ratio:.2f} × as fast, {size} in a batch", flush=True)


def rows_of(batch: Any) -> int:
    """How many examples a batch of regard's has."""
    for field in ("ids", "source", "rows"):
        if hasattr(batch, field):
            return len(getattr(batch, field))
    raise TypeError(type(batch).__name__)


if __name__ == "__main__":
    main()
