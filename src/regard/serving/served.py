"""The models that a server offers, each with the threads that compute for it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from regard.checkpoints import open_checkpoint
from regard.checkpoints.hub import short_name
from regard.engine.batching import cores
from regard.engine.task import Task
from regard.engine.text_to_text import TextToText
from regard.errors import BadArgumentError, UnsupportedError, unknown
from regard.http.refusals import Busy
from regard.serving.batches import Batches, Compute
from regard.serving.decoding import Decoding
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics
from regard.tasks import catalog
from regard.tasks.loading import load
from regard.tasks.text_generation.task import Writer

BATCH = 64  # texts that a model reads together

Progress = Callable[[int], None]
AnyTask = TypeVar("AnyTask", bound=Task, covariant=True)


@dataclass(frozen=True)
class Model(Generic[AnyTask]):
    """A model that is served."""

    name: str
    task: AnyTask
    threads: Decoding | Batches
    limits: Limits
    languages: tuple[str, ...] = ()  # of its card: of a translator, from and to

    @cached_property
    def kind(self) -> str:
        """The task's name for clients."""
        return _verb_of(self.task) or ""


def _verb_of(task: Task) -> str | None:
    """Return the verb of a task, or of the one that models of its kind do: a rewriter
    summarizes."""
    for verb, name in catalog.VERBS.items():
        kinds = [kind for kind in catalog.DECLARATIONS if name in (kind.name, kind.does)]
        classes = tuple(kind.task_class() for kind in kinds)
        if isinstance(task, classes) or issubclass(catalog.doing(verb).task_class(), type(task)):
            return verb
    return None


class Served:
    """The models of a server, by name.

    A name that comes with a request is looked up among those that the server's owner named, and is
    never taken for a path.

    Args:
        places: shipped names, folders and hub:org/name.
        engine, precision, say: as `Task.run_by` takes them.

    Raises:
        RegardError: a model that cannot be loaded or served.
    """

    def __init__(
        self,
        places: Sequence[str],
        limits: Limits,
        metrics: Metrics,
        *,
        engine: str = "auto",
        precision: str | None = None,
        say: Callable[[str], None] = lambda sentence: None,
    ):
        self.limits, self._metrics = limits, metrics
        self.models: dict[str, Model[Any]] = {}
        for place in dict.fromkeys(places):
            name = short_name(place)
            name = place if name in self.models else name
            task = load(place).run_by(engine, precision=precision, say=say)
            self.models[name] = self._opened(name, place, task)

    def model(self, kind: str, name: str | None) -> Model[Any]:
        """Return the model of a name, or the first one that does what is asked; for a request.

        Args:
            kind: a name in catalog.VERBS.

        Raises:
            BadArgumentError: a model that is not served, or does something else.
        """
        able = {key: model for key, model in self.models.items() if model.kind == kind}
        if not able:
            serving = ", ".join(f"{key} can {model.kind}" for key, model in self.models.items())
            raise BadArgumentError(f"no model that can {kind} is served here; {serving}.")
        if name is not None and name not in able:
            raise unknown(f"a model that can {kind}", name[:80], able)
        return able[name] if name is not None else next(iter(able.values()))

    def check_full(self, requests: int) -> None:
        """Refuse a request where no model takes a text.

        Args:
            requests: that have no answer yet. Not all of them may have come to a queue.

        Raises:
            Busy: says when to try again.
        """
        threads = [model.threads for model in self.models.values()]
        rooms = [its.waiting.room for its in threads]
        most = sum(room.most + its.running for room, its in zip(rooms, threads, strict=True))
        if requests >= most or not any(room.has(1) for room in rooms):
            raise Busy(f"{requests:,} requests", min(room.seconds() for room in rooms))

    def close(self) -> None:
        """End all threads, after what waits and run."""
        for model in self.models.values():
            model.threads.close()

    def _opened(self, name: str, place: str, task: Task) -> Model[Any]:
        if _verb_of(task) is None:
            verbs, examples = ", ".join(catalog.VERBS), ", ".join(catalog.taken_by("serve"))
            raise UnsupportedError(
                f"{place} cannot be served; give a model that can {verbs}, such as {examples}."
            )
        native = task.packed  # opened now, and not by the first request
        metrics, limits = self._metrics.of_model(name), self.limits
        threads: Decoding | Batches
        if isinstance(task, TextToText | Writer):
            if native is None:
                raise UnsupportedError(
                    f"{place} cannot be served: the native engine does not compute it, and torch"
                    " answers one batch at a time. Give another model."
                )
            threads = Decoding(
                native,
                name=name,
                waiting=limits.waiting,
                rows=limits.rows,
                kept=limits.kept,
                threads=cores(),
                metrics=metrics,
            )
        else:
            threads = Batches(
                _reading(task),
                name=name,
                waiting=limits.waiting,
                most=BATCH,
                metrics=metrics,
            )
        languages = open_checkpoint(place).card.get("language", [])
        return Model(name, task, threads, limits, tuple(map(str, languages)))


def _reading(task: Task) -> Compute:
    """Return a model's batches: options and rows of texts → results."""

    def compute(
        options: Iterable[tuple[str, Any]] | None, rows: list[tuple[str, ...]], progress: Progress
    ) -> Sequence[Any]:
        chosen, left = task.with_options(**dict(options or ()))
        return chosen.run_rows(rows, batch_size=BATCH, progress=progress, **left)

    return compute
