"""Base of the tasks' recipes, and the training run that all tasks share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

import torch
from torch import Tensor, nn

from regard.data import OnBadLine
from regard.data.lines import check_rereadable
from regard.errors import BadArgumentError
from regard.training import Objective, Progress, RunFolder, fit
from regard.training.baselines import Baselines, write_baselines
from regard.training.card import CardText, write_run_card
from regard.training.evaluation import AnyEvaluator
from regard.training.examples import Example, Fold, read_examples
from regard.training.folds import CrossValidation, cross_validate
from regard.training.options.evaluation import LineOptions
from regard.training.options.run import RunOptions
from regard.training.precision import choose_device, choose_dtype
from regard.training.prepared import Prepared, Values, prepare_once
from regard.training.processes import Processes, batches_in_step, joined, own_device
from regard.training.trackers import trackers

Say = Callable[[str], None]
Watch = Callable[[str, Progress], None]

BatchT = TypeVar("BatchT", covariant=True)


class Epochs(Protocol[BatchT]):
    """Training data: the batch of any step, and how many batches make an epoch."""

    def at(self, step: int) -> BatchT:
        """Return the batch of a step, from 0."""

    def __len__(self) -> int:
        """Batches in an epoch."""


OptionsT = TypeVar("OptionsT", bound=RunOptions)
DataT = TypeVar("DataT", bound=Prepared)


class Recipe(ABC, Generic[OptionsT, DataT]):
    """Recipe of a task: its data, model, loss, figures and saved files.

    Args:
        source: the user's files, the first ones those to train on.
    """

    data_class: ClassVar[type[Prepared]]  # DataT
    more_made_by: ClassVar[tuple[str, ...]] = ("seed",)  # see `made_by`
    title: str  # of the model card
    tag: ClassVar[str]  # the task's name at Hugging Face
    evaluator: ClassVar[type[AnyEvaluator]]  # of the finished model, on other data
    metric: ClassVar[str]  # the figure that chooses the best model
    lower: ClassVar[bool] = False  # whether the lowest is the best
    # The figures of an evaluation as they are shown, such as {"bleu": "BLEU {:5.2f}"}.
    shown: ClassVar[Mapping[str, str]]
    fold: Fold | None = None  # of a cross-validation, where this is a run of one
    validated: CrossValidation | None = None  # its result, for the model on all rows
    begun: bool = False  # whether `begin` has made a model that may be the best already

    def __init__(self, source: str | Sequence[str], options: OptionsT, *, say: Say, command: str):
        self.source = [source] if isinstance(source, str) else list(source)
        self.options, self.say, self.command = options, say, command

    @staticmethod
    def files_in(path: str) -> Sequence[str | Path]:
        """Return the files that are read of a path: itself, unless it may be a folder."""
        return [path]

    def examples(self, path: str, on_bad_line: OnBadLine, **reading: object) -> Iterator[Example]:
        """Read a file as the evaluator does."""
        columns = cast(LineOptions, self.options).columns()
        reading = {"on_bad_line": on_bad_line, "say": self.say, "note": self.say, **reading}
        return self.evaluator.reader(path, **columns, **reading)

    @property
    def names(self) -> list[str]:
        """The names of the files to train on, as the card lists them."""
        return [Path(path).name for path in self.source]

    def shown_figures(self) -> Mapping[str, str]:
        """`shown`, and what else this run's evaluations give."""
        return self.shown

    @property
    def files(self) -> list[str]:
        """Every file that training reads."""
        held = (self.options.dev, getattr(self.options, "test", None))
        paths = (*self.source, *filter(None, held))
        return [str(file) for path in paths for file in self.files_in(path)]

    def check_files(self) -> None:
        """Raise NotFoundError for a file that is missing, before anything is written."""
        for file in self.files:
            check_rereadable(Path(file))

    def prepare(self, folder: Path) -> DataT:
        """Read, clean, split and encode the files into `folder`, or find all that done."""
        checksum, values = prepare_once(
            folder, self.files, self.made_by(), lambda: self.fill(folder), say=self.say
        )
        values |= {"origin": ", ".join(self.names), "sha256": checksum}
        return cast(DataT, self.data_class.read(folder, values))

    def made_by(self) -> dict[str, Any]:
        """Return the options that the prepared data depends on, `more_made_by` among them."""
        options = self.options
        names = {
            name
            for name, setting in options.settings().items()
            if setting.metadata["panel"] == "Data" and not setting.metadata["free"]
        }
        names |= {"base_model", *self.more_made_by} & options.settings().keys()
        held = [options.dev is not None, getattr(options, "test", None) is not None]
        fold = {} if self.fold is None else {"fold": list(self.fold)}
        return options.values(*sorted(names)) | {"held": held} | fold

    @abstractmethod
    def fill(self, folder: Path) -> tuple[str, Values]:
        """Prepare the data in an empty folder.

        Returns:
            A summary, and the values of `data_class` that are not in a file of their own.
        """

    @abstractmethod
    def model(self, data: DataT) -> nn.Module:
        """Return the model before its first step."""

    @abstractmethod
    def describe(self, model: nn.Module) -> str:
        """Return the model in a few words: "transformer tiny, norm pre"."""

    @abstractmethod
    def batches(self, data: DataT, model: nn.Module) -> Epochs:
        """Return the batches of the steps."""

    def begin(self, model: nn.Module, data: DataT, batches: Epochs) -> Baselines:
        """Set what can be computed of a new model at once, before its first step.

        Returns:
            what the trained model is compared with.
        """
        return {}

    @property
    def may_keep_beginning(self) -> bool:
        """True if the model before its first step may be the best."""
        return self.begun and self.fold is None

    @abstractmethod
    def loss(self, model: nn.Module, batch: Any) -> tuple[Tensor, int, int]:
        """Return the summed loss, the number of its terms, and the number of tokens read."""

    @abstractmethod
    def evaluate(self, model: nn.Module, data: DataT) -> dict[str, float]:
        """Return the dev set's figures, `metric` among them."""

    def save(self, model: nn.Module, data: DataT, progress: Progress, folder: Path) -> None:
        """Write the model, what reads its input, and the card."""
        figures = progress.figures if self.validated is None else self.validated.means
        self.save_task(model, data, figures, folder)
        text = self.card(model, data, figures)
        if self.validated is not None:
            text = self.validated.on_card(text)
        write_run_card(self, model, data.origin, progress, folder, text)

    @abstractmethod
    def save_task(
        self, model: nn.Module, data: DataT, figures: dict[str, float], folder: Path
    ) -> None:
        """Write the model and what reads its input."""

    @abstractmethod
    def card(self, model: nn.Module, data: DataT, figures: dict[str, float]) -> CardText:
        """Return what the model card says of this task."""

    def test_sets(self, run: Path, part: str = "test") -> Iterator[tuple[str, Any]]:
        """Yield the test sets in a run's folder: a target language or "", and the examples."""
        file = run / "data" / f"{part}.jsonl"
        if examples := list(read_examples(file)) if file.exists() else []:
            yield "", examples

    def dtype(self, model: nn.Module) -> torch.dtype:
        """Return the dtype of saved weights: what the model computed with, so figures hold."""
        return choose_dtype(self.options.precision, next(model.parameters()).device)

    def rate_scale(self, name: str) -> float:
        """Return the learning rate of a parameter over that of the schedule."""
        return 1.0

    def watch(self, event: str, progress: Progress) -> None:
        """Take note of each event of the run, before those who watch it; see `training.fit`."""

    def collapsed(self, figures: dict[str, float]) -> bool:
        """Return True if the model gives nearly the same output for every input."""
        return False


def learn(
    recipe: Recipe[Any, DataT],
    *,
    watch: Watch = lambda event, progress: None,
    begin: Callable[[int], None] = lambda fold: None,
    data: DataT | None = None,
) -> Progress:
    """Trains in `options.output`, or resumes the run that is there; the best model is in `model/`.

    Args:
        watch: called as watch(event, progress), see `training.fit`.
        begin: called with the number of each fold of a cross-validation, from 1, before it is
            trained, and with 0 before the model on all rows.
        data: as `recipe.prepare` returned it, to share with other runs; the run's own folder has
            it when not given.
    """
    options: RunOptions = recipe.options
    if "" in (options.output, *recipe.source):  # as a path, the current folder
        raise BadArgumentError('the data and `output` must be paths; got "". Give them.')
    device = own_device(choose_device(options.device))
    with joined(device, shard=options.shard) as processes:
        if not processes.first:
            recipe.say = lambda sentence: None
        trackers(vars(options))  # refuses what is not installed
        processes.in_turn(recipe.check_files)  # before anything is written
        run = RunFolder(Path(options.output), warn=recipe.say)
        with run.locked() if processes.first else nullcontext():

            def train(part: Recipe[Any, DataT], run: RunFolder, data: DataT | None) -> Progress:
                return _learn(part, run, watch, data, device, processes)

            if getattr(options, "folds", None) is None:
                progress = train(recipe, run, data)
            else:
                progress = cross_validate(recipe, run, train, begin, processes)
            processes.total(0)  # all of it is written
        return progress


def _learn(
    recipe: Recipe[Any, DataT],
    run: RunFolder,
    watch: Watch,
    data: DataT | None,
    device: torch.device,
    processes: Processes,
) -> Progress:
    options: RunOptions = recipe.options
    accumulate = batches_in_step(options.accumulate, run.option("accumulate"), processes)
    if data is None:
        data = processes.in_turn(lambda: recipe.prepare(run.path / "data"))
    torch.manual_seed(options.seed)
    model = recipe.model(data).to(device)
    trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
    every = sum(p.numel() for p in model.parameters())
    fixed = f", {trained:,} of them trained" if trained < every else ""
    recipe.say(f"model: {recipe.describe(model)}, {every:,} parameters{fixed}")
    batches = recipe.batches(data, model)
    if processes.count > 1:
        placed = "share out the model" if processes.shard else "each have the model"
        recipe.say(f"{processes.count} processes {placed}; a step has {accumulate} batches")
    config = options.training_config(
        epoch=max(1, len(batches) // accumulate), accumulate=accumulate
    )
    if config.max_steps is not None:
        epochs = config.max_steps * accumulate / len(batches)
        recipe.say(f"steps: {config.max_steps:,}; epochs: {epochs:,.3g}")
    # Only now: what is refused above must leave no run that a corrected option contradicts.
    if processes.first:
        run.start(
            asdict(options) | {"accumulate": accumulate, "data_sha256": data.sha256},
            free=options.free(cooling=run.cooling),
            threads=torch.get_num_threads() if device.type == "cpu" else None,
            processes=processes.count,
        )
    if not run.steps():
        baselines = recipe.begin(model, data, batches)
        if processes.first:
            write_baselines(run.path, baselines, recipe.say)
    objective: Objective[Any] = Objective(
        loss=recipe.loss,
        evaluate=lambda model: {} if recipe.validated else recipe.evaluate(model, data),
        metric=recipe.metric,
        lower=recipe.lower,
        first=recipe.may_keep_beginning,
        last=recipe.fold is not None,
        save=lambda model, progress: recipe.save(model, data, progress, run.path / "model"),
        is_saved=(run.path / "model").is_dir,
        collapsed=recipe.collapsed,
        scale=recipe.rate_scale,
    )
    watchers = [recipe.watch, watch] if processes.first else []
    if processes.first:
        watchers += [tracker(run.path) for tracker in trackers(vars(options))]

    def watch_all(event: str, progress: Progress) -> None:
        for watcher in watchers:
            watcher(event, progress)

    progress = fit(model, batches, objective, config, run, watch=watch_all, processes=processes)
    if not progress.best_step:
        recipe.say(
            "no step was better on dev, by its loss too, than the regression that the head began"
            " as, so it is kept"
        )
    return progress
