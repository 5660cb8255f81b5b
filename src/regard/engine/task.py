"""The base of all tasks: a model that can be loaded, called and moved."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set, ValuesView
from functools import wraps
from io import BufferedIOBase, RawIOBase
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from regard.engine.engines import Engine, check_engine
from regard.engine.handle import ModelHandle
from regard.errors import BadArgumentError, OtherLanguageError, shortened

if TYPE_CHECKING:
    import torch

    from regard.checkpoints import CheckpointLike
    from regard.inspection import Trace
    from regard.text import Tokenizer


AT_ONCE = 32  # inputs of a generator
MOST_UNKNOWN = 0.5  # share of a text's characters; above it an answer has nothing to do with it


def _is_stream(value: object) -> bool:
    """Return True for a generator, or another iterator of inputs, which a file is not."""
    return isinstance(value, Iterator) and not isinstance(value, BufferedIOBase | RawIOBase)


def _listed(value: object) -> object:
    """Return a generator, a set or a column of inputs as a list; whatever else, such as one input,
    as it is."""
    several = isinstance(value, Set | ValuesView) or hasattr(value, "to_list")
    return list(cast(Iterable[object], value)) if several or _is_stream(value) else value


def _of_iterables(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method, which takes any iterable in the place of a list."""

    @wraps(method)
    def with_lists(self: Task, *inputs: object, **options: object) -> object:
        lists = {name: _listed(value) for name, value in options.items()}
        return method(self, *map(_listed, inputs), **lists)

    return with_lists


def _of_streams(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, whose answers to a generator are one too: each comes before all inputs are read."""

    def answers(
        self: Task, stream: Iterator[Any], more: list[object], options: dict[str, Any]
    ) -> Iterator[Any]:
        size = options.get("batch_size") or AT_ONCE
        beside = {name: iter(options[name]) for name in self.beside if options.get(name)}
        while inputs := list(islice(stream, size)):
            parts = {name: list(islice(values, size)) for name, values in beside.items()}
            yield from call(self, inputs, *more, **(options | parts))

    @wraps(call)
    def answered(self: Task, *inputs: Any, **options: Any) -> object:
        if not inputs or not _is_stream(inputs[0]):
            return call(self, *inputs, **options)
        shared = {
            name: value if name in self.beside else _listed(value)
            for name, value in options.items()
        }
        return answers(self, inputs[0], [*map(_listed, inputs[1:])], shared)

    return answered


def _of_lists(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run`, which refuses a string: Python takes that for a list of its letters."""
    first = run.__code__.co_varnames[1]

    @wraps(run)
    def checked(self: Task, *inputs: object, **options: object) -> object:
        value = inputs[0] if inputs else options.get(first)
        if isinstance(value, str):
            raise BadArgumentError(
                f"`run` takes a list of inputs; got the string {shortened(value)!r}."
                " Put it into a list, or call the model itself."
            )
        return run(self, *inputs, **options)

    return checked


class Task(ABC):
    """A model with everything it needs for one use: what `regard.load` gives."""

    handle: ModelHandle
    name: str  # what messages call it
    beside: ClassVar[tuple[str, ...]] = ()  # options that have a value for each input

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "run" in vars(cls):
            setattr(cls, "run", _of_iterables(_of_lists(cls.run)))  # noqa: B010
        if "__call__" in vars(cls):
            setattr(cls, "__call__", _of_streams(_of_iterables(cls.__call__)))  # noqa: B010

    @classmethod
    @abstractmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the model of a folder, of a shipped name or of "hub:org/name".

        Args:
            lazily: leave the weights in their files until the model itself is asked for.
        """

    @property
    def model(self) -> Any:
        """The model itself, whatever computes; loaded when it is first asked for."""
        return self.handle.model

    @property
    def engine(self) -> Engine:
        """The engine that computes the results."""
        return self.handle.engine

    @property
    def packed(self) -> Any:
        """The model in the native engine, where that computes the results: see `engine.native`."""
        return self.engine.packed

    @property
    def computed_by(self) -> str:
        """The engine and precision of the results: "native int8", or "torch"."""
        return self.engine.name

    @property
    def device(self) -> torch.device:
        """Device of the model; `.model.to(device)` moves it."""
        device: torch.device = next(self.model.parameters()).device
        return device

    @property
    def default_precision(self) -> str:
        """The precision of the native engine, where none is named."""
        return "fp32"

    def run_by(
        self,
        engine: str = "auto",
        *,
        precision: str | None = None,
        threads: int | None = None,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> Self:
        """Return the same task, computed by another engine.

        What computes the results is looked at too, by "native" as arrays of numpy; by "auto", which
        names no engine, the model itself is, as tensors.

        Args:
            engine: "torch": the model itself. "native": the engine in C++, on the CPU. "auto":
                "native" where it can compute the model, the model is on the CPU and the package has
                a library for this machine, else "torch".
            precision: of "native": "fp32", "bf16", "int8" or "int4"; see
                `engine.native.loading.open_native`. By default `default_precision`.
            threads: of "native", that compute one batch; by default one for each core, which the
                batches that are computed at the same time share.
            say: called with a sentence where "auto" leaves the work to torch.

        Raises:
            BadArgumentError: an unknown engine or precision, or a setting of another engine.
            UnsupportedError: the native engine cannot compute the model.
            UnavailableError: it has no library for this machine, or too little memory.
        """
        kind = check_engine(engine, precision=precision, threads=threads)
        if "precision" in kind.settings:
            precision = precision or self.default_precision
        other = copy.copy(self)
        other.handle = self.handle.run_by(kind, say, precision=precision, threads=threads)
        return other

    def engine_notes(self) -> list[str]:
        """Note for a trace of a text that another engine wrote than is looked at."""
        if self.packed is None or self.engine.looks:
            return []
        return [
            f"the text was decoded by {self.computed_by}; the maps are of the model's own weights,"
            " by torch"
        ]

    def with_options(self, **options: object) -> tuple[Self, dict[str, Any]]:
        """Return the task as these options set it, and those of them that `run_rows` takes.

        Args:
            options: of the task's class of options (`catalog.Kind.options_class`).
        """
        return self, options

    def run_rows(self, rows: Sequence[tuple[str, ...]], **options: Any) -> list[Any]:
        """Return a result for each row of inputs, which are those of `catalog.Kind.inputs`.

        Args:
            options: those that `with_options` leaves, batch_size and progress.
        """
        return list(self.run([text for (text,) in rows], **options))

    @abstractmethod
    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Return the bare answer to one input; to a list of them, or another collection, a list.

        Of a generator it is a generator: it reads `batch_size` inputs, by default 32, when the
        answer to the first of them is asked for.
        """

    @abstractmethod
    def run(self, *inputs: Any, **options: Any) -> Any:
        """Return a result for each input, with everything that is known of it."""

    @abstractmethod
    def trace(self, *inputs: Any, **options: Any) -> Trace:
        """Return the inputs of every attention layer for one input of the task."""


def check_known(text: str, tokenizer: Tokenizer, name: str, *, what: str = "text") -> None:
    """Raise BadArgumentError for a text most of whose characters the vocabulary lacks (see
    `Tokenizer.unknown_share`)."""
    if (share := tokenizer.unknown_share(text)) > MOST_UNKNOWN:
        raise OtherLanguageError(
            f"{name} cannot read this {what}: its vocabulary lacks {share:.0%} of the characters of"
            f" {shortened(text)!r}. Give a {what} in its language, another model, or force=True."
        )


def check_text(ids: Sequence[int], room: int, name: str) -> None:
    """Raise BadArgumentError for a text of no tokens, or of more than a model has positions."""
    if not ids:
        raise BadArgumentError("there is no text to look at; give a sentence.")
    if len(ids) > room:
        raise BadArgumentError(
            f"a text may have {room} tokens with {name}; got {len(ids)}. Look at a part of it."
        )
