"""Recipes of trained models that read files with a text each, which stay where they are.

data/
    train.jsonl, dev.jsonl, test.jsonl   the files' paths and texts after cleaning
"""

import copy
import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from torch import nn

from regard.checkpoints import Checkpoint, open_checkpoint, save_pretrained
from regard.data.batches import Shuffled
from regard.engine.handle import ModelHandle
from regard.engine.task import Task
from regard.files import whole_file
from regard.training.examples import Example, split_examples
from regard.training.options.files import FileOptions
from regard.training.prepared import Prepared, Values
from regard.training.recipe import Recipe

TaskT = TypeVar("TaskT", bound=Task)
OptionsT = TypeVar("OptionsT", bound=FileOptions)
BatchT = TypeVar("BatchT")
T = TypeVar("T")

# Files of a checkpoint that say how a model reads and writes, which training leaves as they are.
KEPT = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.json", "merges.txt", "normalizer.json", "spiece.model", "generation_config.json"),
    *("preprocessor_config.json", "processor_config.json"),
)


@dataclass(frozen=True)
class FileData(Prepared):
    """Files with texts; see `file_tables.read_file_table`."""

    train: list[Example]
    dev: list[Example]
    test: list[Example]


class FileBatches(Shuffled, Generic[BatchT]):
    """Batches of files, which are read when their batch is asked for; see `Shuffled`."""

    def __init__(
        self, examples: Sequence[Example], read: Callable[[Sequence[Example]], BatchT], **plan: int
    ) -> None:
        super().__init__(len(examples), **plan)
        self.examples, self.read = examples, read

    def at(self, step: int) -> BatchT:
        return self.read([self.examples[row] for row in self.rows(step)])


class FileRecipe(Recipe[OptionsT, FileData], Generic[OptionsT, TaskT, BatchT]):
    """A recipe that continues the training of a model; see `Recipe`."""

    data_class = FileData
    task: ClassVar[type[Task]]  # TaskT

    def check_files(self) -> None:
        super().check_files()
        _ = self.base

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The model to begin with."""
        assert self.options.base_model is not None  # the options have checked it
        return open_checkpoint(self.options.base_model)

    @cached_property
    def base(self) -> TaskT:
        """The task of the model to begin with."""
        return self.task.load(self.checkpoint, name=self.options.base_model)  # type: ignore[return-value]

    def task_of(self, model: nn.Module) -> TaskT:
        """Return the same task by other weights."""
        task = copy.copy(self.base)
        task.handle = ModelHandle.of(model)
        return task

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        sizes = split_examples(
            path, self.options, folder, read=self.examples, fault=self.fault, say=self.say
        )
        return f"{sizes['train']:,} to train on, {sizes['dev']:,} dev", {}

    @abstractmethod
    def fault(self, example: Example) -> str | None:
        """Return the reason, in two words, why the model cannot learn from an example; None: it
        can."""

    def model(self, data: FileData) -> nn.Module:
        model: nn.Module = self.base.model
        return model

    def describe(self, model: nn.Module) -> str:
        return f"{type(self.base.model).__name__} from {self.options.base_model}"

    def batches(self, data: FileData, model: nn.Module) -> FileBatches[BatchT]:
        return FileBatches(data.train, self.batch, **self.options.values("batch_size", "seed"))

    @abstractmethod
    def batch(self, examples: Sequence[Example]) -> BatchT:
        """Return the examples as the model takes them, whose files are read."""

    def save_task(
        self, model: nn.Module, data: FileData, figures: dict[str, float], folder: Path
    ) -> None:
        save_pretrained(model, folder, dtype=self.dtype(model))
        for name in KEPT:
            if (file := self.checkpoint.folder / name).is_file():
                with whole_file(folder / name) as temporary:
                    shutil.copyfile(file, temporary)


def read_together(read: Callable[[str], T], files: Iterable[str]) -> list[T]:
    """`read` of every file, several at a time."""
    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(read, files))
