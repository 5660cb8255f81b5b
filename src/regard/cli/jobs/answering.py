"""Questions to a model for the records of a shard; the tasks are `catalog.KINDS`."""

from collections.abc import Callable, Sequence
from typing import Any

from regard.cli.jobs.settings import Settings
from regard.engine.result import Result
from regard.errors import BadArgumentError
from regard.progress import check
from regard.tasks import catalog

Texts = tuple[str, ...]
Fields = dict[str, Any]


def check_options(settings: Settings) -> None:
    """Refuses what would have no effect.

    Raises:
        BadArgumentError: an option that the task does not have or one out of range, or an output
            that cannot hold its results.
    """
    kind = catalog.doing(settings.task)
    catalog.chosen(settings.task, settings.options)
    if settings.output == "text" and kind.result_class().line is Result.line:
        raise BadArgumentError(
            f"{settings.task} writes numbers, not text. Give an output that ends in .jsonl or"
            " .parquet."
        )
    if settings.input == "text" and len(settings.columns) > 1:
        raise BadArgumentError(
            f"{settings.task} reads {' and '.join(settings.columns)} of each line. Give CSV,"
            " JSON lines or Parquet."
        )


def opened(settings: Settings, threads: int, say: Callable[[str], None]) -> Any:
    """The model of a job, as a Task.

    Args:
        threads: that it computes with.
        say: called with a sentence where the native engine cannot compute the model.

    Raises:
        RegardError: it cannot be loaded, or does not do the task.
    """
    from regard.tasks.loading import load

    task: Any = load(settings.model, catalog.VERBS[settings.task])
    task = task.run_by(settings.engine, precision=settings.precision, say=say)
    task.engine.use_threads(threads)
    return task


def answers(task: Any, texts: Sequence[Texts], settings: Settings, shard: int) -> list[Any]:
    """The task's results for some texts.

    Args:
        shard: the shard's number, which sets its random numbers apart from those of others.

    Raises:
        RegardError: texts are refused, as `tasks.batching.read_each` does it; or an option is.
    """
    chosen = catalog.chosen(settings.task, settings.options)
    if chosen.get("seed") is not None:
        import numpy

        drawn = numpy.random.SeedSequence((chosen["seed"], shard)).generate_state(1)
        chosen["seed"] = int(drawn[0])
    task, options = task.with_options(**chosen)
    rows: list[Any] = task.run_rows(
        texts, batch_size=settings.batch_size, progress=lambda done: check(), **options
    )
    return rows
