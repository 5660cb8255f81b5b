"""Handles of models: what a task has of its model, which may be loaded later.

A task needs only the model's config to read and write text, so a model is loaded when something
asks for the model itself: torch as its engine, a trace, an alignment, training.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard import checkpoints
from regard.checkpoints import Checkpoint
from regard.checkpoints.fit import check_state
from regard.engine.engines import Engine, Torch
from regard.errors import UnsupportedError
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import nn

    from regard.models import AnyEncoderDecoder, Model
    from regard.models.configs.config import ModelConfig
    from regard.models.configs.encoder_decoder import EncoderDecoderConfig
    from regard.models.configs.recurrent import RecurrentConfig

T = TypeVar("T")
State = tuple[Any, ...]


class Lazy(Generic[T]):
    """A value computed on first use and shared."""

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


class ModelHandle:
    """A model: its config, the model itself, and the engine that computes for it.

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
        self._loaded = Lazy(lambda: ((model := load()), _state(model)))
        self._model: Lazy[Any] = Lazy(lambda: self.original)
        self._engine: Lazy[Engine] = Lazy(lambda: Torch(self))

    @classmethod
    def of(cls, model: nn.Module | ModelHandle) -> Self:
        """Return a handle of a model in memory, which computes itself; a handle is returned as it
        is."""
        if isinstance(model, cls):
            return model
        config = getattr(model, "config", None)
        return cls(
            cls._part(config),
            lambda: model,
            architecture=getattr(model, "architecture", type(model).__name__),
        )

    @classmethod
    def of_checkpoint(
        cls,
        checkpoint: Checkpoint,
        *,
        check: Callable[[Any], None] = lambda config: None,
        lazily: bool = False,
    ) -> Self:
        """Return a handle of a model folder.

        Args:
            check: raises an error for the config of a model that the task cannot use, before the
                weights are read.
            lazily: leave the weights in their files, where their names and shapes are checked.

        Raises:
            DamagedFileError: a damaged file.
        """
        check(config := checkpoint.config)
        handle = cls(
            cls._part(config),
            lambda: cls._read(checkpoint),
            architecture=checkpoint.architecture,
            source=checkpoint,
        )
        if lazily and checkpoint.architecture != "RecurrentEncoderDecoder":
            check_state(checkpoint)
        else:
            _ = handle.model  # from here on, a change of its weights is noticed
        return handle

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self.model,)  # a copy is of the model in memory

    @classmethod
    def _part(cls, config: object) -> object:
        """Return the part of a model's config that `config` is."""
        return config

    @classmethod
    def _read(cls, checkpoint: Checkpoint) -> Model:
        with torch.inference_mode(False):  # it may be trained later
            return checkpoints.from_pretrained(checkpoint)

    @property
    def model(self) -> Any:
        """The model itself, loaded when it is first asked for."""
        return self._model()

    @property
    def original(self) -> Model:
        """The model as it was loaded, which shares its weights with `model`."""
        return self._loaded()[0]

    @property
    def is_loaded(self) -> bool:
        return self._loaded.is_made

    @property
    def state(self) -> State | None:
        """A value that another value or place of any weight changes; None while the weights are
        those of the files."""
        if self.source is not None and not self.is_loaded:
            return None
        model, loaded = self._loaded()
        state = _state(model)
        return None if self.source is not None and state == loaded else state

    @property
    def engine(self) -> Engine:
        """The engine that was chosen, or the model itself where its weights have changed since."""
        return self._engine().now(self)

    def run_by(self, kind: type[Engine], say: Callable[[str], None], **settings: object) -> Self:
        """Return the same model, computed by another engine; see `engine.ENGINES`."""
        engine = Lazy(lambda: kind.of(self, say, **settings))
        if not kind.decides_later:
            engine()
        return self._with(_engine=engine)

    def _with(self, **changes: object) -> Self:
        other = object.__new__(type(self))  # copy.copy makes what __reduce__ says
        vars(other).update(vars(self) | changes)
        return other


@dataclass(frozen=True)
class IdConfig:
    """Settings that token ids depend on: a part of a model's config."""

    vocab_size: int  # of the source
    decoder_vocab_size: int  # of the target
    max_positions: int | None  # None: no limit
    pad_id: int
    eos_id: int
    start_id: int

    @classmethod
    def of(cls, config: EncoderDecoderConfig | RecurrentConfig) -> IdConfig:
        """Return the settings of an encoder–decoder's config."""
        endless = getattr(config, "positions", None) == "relative"
        return cls(
            vocab_size=config.vocab_size,
            decoder_vocab_size=config.target_vocab_size or config.vocab_size,
            max_positions=None if endless else config.max_positions,
            pad_id=config.pad_id,
            eos_id=config.eos_id,
            start_id=config.start_id,
        )


class EncoderDecoderHandle(ModelHandle):
    """An encoder–decoder that writes; its config is an `IdConfig`."""

    config: IdConfig

    @classmethod
    def open(cls, checkpoint: Checkpoint, *, lazily: bool = False) -> EncoderDecoderHandle:
        """`of_checkpoint`.

        Raises:
            UnsupportedError: not an encoder–decoder that writes.
        """

        def check(config: ModelConfig) -> None:
            if config.head != "language_model":
                raise UnsupportedError(
                    f"{checkpoint.name} must be a model that writes (…ForConditionalGeneration);"
                    f" its head is {config.head!r}. Give a checkpoint made for this task."
                )

        if checkpoint.architecture not in ("EncoderDecoder", "RecurrentEncoderDecoder"):
            raise UnsupportedError(
                f"{checkpoint.folder} must hold an encoder–decoder, such as Marian, BART or T5; it"
                f" holds a {checkpoint.settings['model_type']} model. Use a checkpoint made for"
                " this task."
            )
        return cls.of_checkpoint(checkpoint, check=check, lazily=lazily)

    @classmethod
    def _part(cls, config: Any) -> IdConfig:
        return IdConfig.of(config)

    def starting_from(self, start_id: int) -> EncoderDecoderHandle:
        """Return the same weights in a model whose decoder reads another token first."""
        if start_id == self.config.start_id:
            return self
        return self._with(
            config=replace(self.config, start_id=start_id),
            _model=Lazy(lambda: _starting_from(self.model, start_id)),
        )

    def padded(self, sources: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Ids of several texts with padding behind them, (batch, source length)."""
        padded = np.full((len(sources), max(map(len, sources))), self.config.pad_id, np.int64)
        for row, ids in zip(padded, sources, strict=True):
            row[: len(ids)] = ids
        return padded


def _starting_from(model: AnyEncoderDecoder, start_id: int) -> AnyEncoderDecoder:
    other = copy.copy(model)  # shares parameters and modules: moving one moves both
    other.config = replace(model.config, start_id=start_id)
    return other


def _state(model: nn.Module) -> State:
    """Return a value that changes when a parameter is written to, replaced or moved; none is
    read."""
    modules, weights = [model], list[Any]()
    for module in modules:  # model.parameters() takes four times as long, and this is asked often
        modules += [part for part in module._modules.values() if part is not None]
        weights += [weight for weight in module._parameters.values() if weight is not None]
    return tuple(
        (id(weight), weight.data_ptr(), 0 if weight.is_inference() else weight._version)
        for weight in weights
    )
