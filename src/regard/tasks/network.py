"""What a task computes with: a model, or the same model packed for ONNX Runtime.

A task needs only the model's config to read and write text, so a model that has been packed before
is loaded when something asks for the model itself: a trace, an alignment, training.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from regard.checkpoints import Checkpoint
from regard.checkpoints.weights import weight_files
from regard.errors import UnavailableError, UnsupportedError
from regard.tasks.batching import cores

if TYPE_CHECKING:
    from torch import nn

T = TypeVar("T")
State = tuple[Any, ...]
LARGE = 2_000_000_000  # bytes of weights of a model that is not packed unless that is asked for


class Later(Generic[T]):
    """A value that is made when it is first asked for, once for all who share this object."""

    def __init__(self, make: Callable[[], T]):
        self._make: Callable[[], T] | None = make
        self._lock = Lock()

    def __call__(self) -> T:
        with self._lock:
            if self._make is not None:
                self._value, self._make = self._make(), None
            return self._value

    @property
    def is_made(self) -> bool:
        return self._make is None


@dataclass(frozen=True)
class Packing:
    """A packed model, and the weights that it was made from."""

    model: Any  # a `runtime.packed.Packed`
    precision: str
    threads: int | None  # that compute one batch; None: one, and batches are computed in parallel
    state: State | None  # of the parameters that were packed; None: they were those of the files


class Network:
    """A model: its config, the model itself, and the packed model that computes for it.

    Args:
        config: of the model, or the part of it that the task needs.
        load: gives the model itself.
        architecture: the name of its class in `regard.models`.
        source: the folder that the model is loaded from; None: it exists in memory only.
    """

    def __init__(
        self,
        config: Any,
        load: Callable[[], Any],
        *,
        architecture: str = "",
        source: Checkpoint | None = None,
    ):
        self.config = config
        self.architecture = architecture
        self.source = source
        self._loaded = Later(lambda: _with_state(load(), source))
        self._model: Later[Any] = Later(lambda: self._loaded()[0])
        self._packing: Later[Packing | None] = Later(lambda: None)

    @classmethod
    def of(cls, model: Any) -> Self:
        """Of a model in memory, which computes itself; a network is returned as it is."""
        if isinstance(model, cls):
            return model
        config = getattr(model, "config", None)
        return cls(cls._part(config), lambda: model, architecture=_class_of(model))

    @classmethod
    def of_checkpoint(
        cls,
        checkpoint: Checkpoint,
        *,
        kind: str,
        check: Callable[[Any], None] = lambda config: None,
        lazily: bool = False,
    ) -> Self:
        """Of a model folder.

        Args:
            kind: of the packed model; see `runtime.packed.OF_TEXTS`.
            check: raises an error for the config of a model that the task cannot use, before the
                weights are read.
            lazily: leave the model in its files where it has been packed before, so its files are
                whole.

        Raises:
            DamagedFileError: a damaged file.
        """
        known = _known(checkpoint, kind) if lazily else None
        if known is not None:
            check(known)
            return cls(
                cls._part(known),
                lambda: cls._read(checkpoint),
                architecture=checkpoint.architecture,
                source=checkpoint,
            )
        check(checkpoint.config)
        model = cls._read(checkpoint)
        network = cls(
            cls._part(model.config),
            lambda: model,
            architecture=_class_of(model),
            source=checkpoint,
        )
        _ = network.model  # from here on, a change of its weights is noticed
        return network

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self.model,)  # a copy is of the model in memory

    @classmethod
    def _part(cls, config: Any) -> Any:
        """Of a model's config, what `config` is."""
        return config

    @classmethod
    def _read(cls, checkpoint: Checkpoint) -> Any:
        import torch

        from regard.checkpoints import from_pretrained

        with torch.inference_mode(False):  # it may be trained later
            return from_pretrained(checkpoint)

    @property
    def model(self) -> Any:
        """The model itself, loaded when it is first asked for."""
        return self._model()

    @property
    def packing(self) -> Packing | None:
        """The packed model, and None where the model itself computes: it is not packed, or is no
        longer what was packed, because its weights have been changed or moved."""
        packing = self._packing()
        if packing is None or not self._loaded.is_made:
            return packing
        model, loaded = self._loaded()
        return packing if _state(model) == (packing.state or loaded) else None

    @property
    def workers(self) -> int:
        """How many batches to compute at the same time."""
        packing = self.packing
        return cores() if packing is not None and packing.threads is None else 1

    def by_torch(self) -> Self:
        """The same, computed by the model itself."""
        return self._with(_packing=Later(lambda: None))

    def packed(self, precision: str, threads: int | None, say: Callable[[str], None]) -> Self:
        """The same, computed by the packed model. One that has not been packed is packed now.

        Raises:
            RegardError: as `runtime.packing.pack`.
        """
        packing = self._pack(precision, threads, say)
        return self._with(_packing=Later(lambda: packing))

    def packed_if_possible(
        self, precision: str | None, threads: int | None, say: Callable[[str], None]
    ) -> Self:
        """The same, computed by the packed model where that is possible; by the model itself where
        it cannot be packed or is not on the CPU, or is `LARGE` and has not been packed before.
        Decided at the first use.

        Args:
            precision: None: fp32; one that is named asks for packing, however large the model is.
            say: called with the reason, too, where the precision is not possible.
        """

        def best() -> Packing | None:
            if self._loaded.is_made and _device(self._loaded()[0]).type != "cpu":
                return None
            if precision is None and self._is_large_and_new:
                return None
            try:
                return self._pack(precision or "fp32", threads, say)
            except (UnsupportedError, UnavailableError) as error:
                if precision not in (None, "fp32"):
                    say(f"{error} The model itself computes, in fp32.")
                return None

        return self._with(_packing=Later(best))

    def _with(self, **changes: Any) -> Self:
        other = object.__new__(type(self))  # copy.copy makes what __reduce__ says
        vars(other).update(vars(self) | changes)
        return other

    def _pack(self, precision: str, threads: int | None, say: Callable[[str], None]) -> Packing:
        each = 1 if threads is None else threads
        if self.source is not None and not self._is_changed:
            packed = self._packed(self.source, precision, each, say)
            return Packing(packed, precision, threads, None)
        model, _ = self._loaded()
        packed = self._packed(model, precision, each, say)
        return Packing(packed, precision, threads, _state(model))

    def _packed(
        self,
        model: nn.Module | Checkpoint,
        precision: str,
        threads: int,
        say: Callable[[str], None],
    ) -> Any:
        from regard.runtime.packing import pack

        return pack(model, precision, threads=threads, say=say)

    @property
    def _is_large_and_new(self) -> bool:
        """Whether packing would take a large part of a disk, and has not been done."""
        from regard.runtime.packing import is_packed

        if self.source is None or self._is_changed:
            return sum(4 * each.numel() for each in self.model.parameters()) > LARGE
        if sum(file.stat().st_size for file in weight_files(self.source.folder)) <= LARGE:
            return False
        return not is_packed(self.source, "fp32")

    @property
    def _is_changed(self) -> bool:
        if not self._loaded.is_made:
            return False
        model, loaded = self._loaded()
        return _state(model) != loaded


def _known(checkpoint: Checkpoint, kind: str) -> Any:
    """What a packed model says of the model's config; None where it has not been packed."""
    from regard.runtime.packing import packed_config

    with suppress(UnavailableError):
        config = packed_config(checkpoint, kind)
        if config is not None:
            values = {
                name: tuple(value) if isinstance(value, list) else value  # as JSON has a tuple
                for name, value in config.items()
            }
            return SimpleNamespace(**values)
    return None


def _class_of(model: Any) -> str:
    """The name of the class in `regard.models`; of another model, of its own class."""
    classes = type(model).__mro__
    ours = (each for each in classes if each.__module__.startswith("regard.models."))
    return next(ours, classes[0]).__name__


def _device(model: Any) -> Any:
    return next(model.parameters()).device


def _with_state(model: Any, source: Checkpoint | None) -> tuple[Any, State]:
    return model, () if source is None else _state(model)


def _state(model: Any) -> State:
    """What changes when a parameter is written to, replaced or moved; its values are not read."""
    return tuple(
        (id(each), each.data_ptr(), 0 if each.is_inference() else each._version)
        for each in model.parameters()
    )
