"""Engines: objects that compute a model's results, and the one table of their names.

Another engine is a subclass of `Engine` in a file of its own, and a line in `ENGINES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array
from regard.engine.batching import cores
from regard.engine.native import decodes, loading, looking
from regard.errors import BadArgumentError, UnavailableError, UnsupportedError, check_choice
from regard.generation import Decoder, GenerationConfig, Hypothesis, generate
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import nn

    from regard.engine.handle import ModelHandle
    from regard.engine.task import Task
    from regard.inspection.recording import Ours
    from regard.models import Model

AnyTask = TypeVar("AnyTask", bound="Task")
Ids = NDArray[np.int64]
Say = Callable[[str], None]
# Texts of a call of the native engine, in which one that ends makes room for the next: 64 took 8 %
# longer. But several shares for each worker, so that none has much more to do than the others.
AT_ONCE, SHARES = 512, 4


class Engine(ABC):
    """A way to compute a model's results, by a form of the model that is the engine's own.

    Attributes:
        name: its name in `ENGINES`, and the precision where there are several: "native int8".
        packed: the model in that form, with the methods that `engine.native` has for its kind.
        workers: batches to compute at the same time.
    """

    settings: ClassVar[tuple[str, ...]] = ()  # of `Task.run_by`, that it takes
    decides_later: ClassVar[bool] = False  # it is made at its first use
    name: str
    packed: Any
    workers: int = 1
    looks: bool = False  # a trace is of its own run, as arrays of numpy

    @classmethod
    @abstractmethod
    def of(cls, handle: ModelHandle, say: Say, **settings: object) -> Engine:
        """Return the engine for a model; see `Task.run_by`."""

    @abstractmethod
    def now(self, handle: ModelHandle) -> Engine:
        """Return the engine that gives the results of the model as it is now."""

    @abstractmethod
    def use_threads(self, threads: int) -> None:
        """Compute with so many threads, where they are not among `settings`."""

    def own(self, handle: ModelHandle) -> Ours:
        """Return the model in the form whose run can be looked at: the engine's, or the model
        itself."""
        return handle.model

    def seen(self, handle: ModelHandle) -> Ours:
        """Return the model that a trace is made of."""
        return self.own(handle) if self.looks else handle.model

    def array(self, x: NDArray[Any]) -> Array:
        """Return an array as the engine's decoders read it."""
        return x

    def __call__(self, **inputs: Array) -> NDArray[np.float32]:
        """Return the head's output for ids or pixels; its shape is in the docstring of the
        model."""
        output: NDArray[np.float32] = self.packed(**inputs)
        return output

    def hidden(self, **inputs: Array) -> Array:
        """Return the states that the head reads, (batch, length, d_model)."""
        return self.packed.hidden(**inputs)

    def head(self, states: Array) -> Array:
        """States, (batch, length, d_model) → the head's output."""
        return self.packed.head(np.asarray(states))

    def logits(self, images: Array, texts: Array) -> NDArray[np.float32]:
        """Vectors of images and texts → how they fit, (images, texts)."""
        logits: NDArray[np.float32] = self.packed.logits(images, texts)
        return logits

    def patches(self, pixels: Array) -> NDArray[np.float32]:
        """Return the vector of each patch of images, (batch, patches, width)."""
        vectors: NDArray[np.float32] = self.packed.patches(pixels)
        return vectors

    def start(self, mask: Array) -> Decoder:
        """Return a decoder of prompts that have this mask, (batch, length), False for padding."""
        decoder: Decoder = self.packed.start(mask)
        return decoder

    def at_once(self, texts: int, config: GenerationConfig, batch_size: int) -> int:
        """Return number of texts, of so many, for a call of `write` or `generate`, which decode
        `batch_size` of them together."""
        return batch_size

    def write(
        self,
        prompt: Ids,
        mask: NDArray[np.bool_],
        config: GenerationConfig,
        numbers: Sequence[int],
        ends: Callable[[Sequence[int]], bool] | None,
        batch_size: int,
    ) -> list[list[Hypothesis]]:
        """Return the best continuations of each prompt, (batch, length); see
        `generation.generate`."""
        read = self.array(mask)
        return generate(
            self.start(read),
            self.array(prompt),
            config,
            prompt_mask=read,
            sentence_numbers=numbers,
            ends=ends,
        )

    def generate(
        self,
        source: Ids,
        prompt: Ids,
        config: GenerationConfig,
        numbers: Sequence[int],
        batch_size: int,
    ) -> list[list[Hypothesis]]:
        """Return the best answers to each source, (batch, source length); see
        `generation.generate`."""
        answers: list[list[Hypothesis]] = self.packed.generate(
            source, prompt, config, numbers, batch_size=batch_size
        )
        return answers


class Torch(Engine):
    """The model itself, where it is."""

    name = "torch"
    packed = None

    def __init__(self, handle: ModelHandle):
        self._handle = handle

    @classmethod
    def of(cls, handle: ModelHandle, say: Say, **settings: object) -> Engine:
        return cls(handle)

    def now(self, handle: ModelHandle) -> Engine:
        return Torch(handle)

    def use_threads(self, threads: int) -> None:
        torch.set_num_threads(threads)

    def array(self, x: NDArray[Any]) -> torch.Tensor:
        return torch.as_tensor(x).to(device_of(self._handle.model), non_blocking=True)

    def __call__(self, **inputs: Array) -> NDArray[np.float32]:
        with self._computing() as model:
            return as_array(model(**self._arguments(model, inputs)))

    def hidden(self, **inputs: Array) -> Array:
        with self._computing() as model:
            return model.hidden(**self._arguments(model, inputs))

    def head(self, states: Array) -> Array:
        with self._computing() as model:
            return model.head(states, model.embed.tokens.weight)

    def logits(self, images: Array, texts: Array) -> NDArray[np.float32]:
        with self._computing() as model:
            return as_array(model.logits(self.array(images), self.array(texts)))

    def patches(self, pixels: Array) -> NDArray[np.float32]:
        with self._computing() as model:
            return as_array(model.patches(**self._arguments(model, {"pixels": pixels})))

    def start(self, mask: Array) -> Decoder:
        decoder: Decoder = self._handle.model.start(mask)
        return decoder

    def generate(
        self,
        source: Ids,
        prompt: Ids,
        config: GenerationConfig,
        numbers: Sequence[int],
        batch_size: int,
    ) -> list[list[Hypothesis]]:
        with self._computing() as model:
            decoder = model.start(self.array(source))
            return generate(decoder, self.array(prompt), config, sentence_numbers=numbers)

    @contextmanager
    def _computing(self) -> Iterator[Any]:
        with torch.inference_mode():
            yield self._handle.model

    def _arguments(self, model: Model, inputs: Mapping[str, Array]) -> dict[str, Any]:
        """Arguments of the model's forward, on its device."""
        tensors = {name: self.array(value) for name, value in inputs.items()}
        if "pixels" in tensors:
            return {"pixels": tensors["pixels"].to(next(model.parameters()).dtype)}
        return dict(model.reading(**tensors))


class Native(Engine):
    """The native engine of `engine/`, on the CPU, which packs a model's weights when it is opened.

    Where weights were changed or moved since, the model itself computes.
    """

    settings = ("precision", "threads")
    looks = True

    def __init__(
        self, handle: ModelHandle, say: Say, *, precision: str | None, threads: int | None
    ):
        precision, self._state = precision or "fp32", handle.state
        in_files = self._state is None and not handle.is_loaded
        model: Any = handle.source if in_files else handle.original
        self.name = f"native {precision}"
        self.packed = loading.open_native(
            model, precision, threads=threads or cores(), shared=threads is None
        )
        self.workers = cores() if threads is None else 1
        self._model, self._seen = model, dict[int | None, Any]()

    @classmethod
    def of(cls, handle: ModelHandle, say: Say, **settings: Any) -> Engine:
        return cls(handle, say, **settings)

    def now(self, handle: ModelHandle) -> Engine:
        return self if handle.state == self._state else Torch(handle)

    def own(self, handle: ModelHandle) -> Ours:
        start_id = getattr(handle.config, "start_id", None)
        if start_id not in self._seen:  # it keeps the weights that it has read
            self._seen[start_id] = looking.seen(self.packed, self._model, start_id=start_id)
        return self._seen[start_id]

    def use_threads(self, threads: int) -> None:
        pass

    def at_once(self, texts: int, config: GenerationConfig, batch_size: int) -> int:
        shares = SHARES * self.workers if self.workers > 1 else 1
        return max(min(AT_ONCE, texts // shares) if decodes.is_searched(config) else 1, batch_size)

    def write(
        self,
        prompt: Ids,
        mask: NDArray[np.bool_],
        config: GenerationConfig,
        numbers: Sequence[int],
        ends: Callable[[Sequence[int]], bool] | None,
        batch_size: int,
    ) -> list[list[Hypothesis]]:
        answers: list[list[Hypothesis]] = self.packed.generate(
            *(prompt, config),
            prompt_mask=mask,
            sentence_numbers=numbers,
            ends=ends,
            batch_size=batch_size,
        )
        return answers


class Auto(Native):
    """The native engine where it can compute the model and the model is on the CPU; elsewhere the
    model itself."""

    decides_later = True

    @classmethod
    def of(cls, handle: ModelHandle, say: Say, **settings: Any) -> Engine:
        if handle.is_loaded and device_of(handle.original).type != "cpu":
            return Torch(handle)
        try:
            native = Native(handle, say, **settings)
            native.looks = not has_torch()  # who named no engine gets tensors, if there are any
            return native
        except (UnsupportedError, UnavailableError) as error:
            say(f"{str(error).partition(';')[0]}; torch computes, in fp32.")
            return Torch(handle)


def has_torch() -> bool:
    """Return True if torch is installed."""
    try:
        return find_spec("torch") is not None
    except (ImportError, ValueError):  # an import that was forbidden
        return False


ENGINES: dict[str, type[Engine]] = {
    "auto": Auto,
    "torch": Torch,
    "native": Native,
}


def check_engine(name: str, **settings: object) -> type[Engine]:
    """Return the engine of a name.

    Raises:
        BadArgumentError: an unknown name, or a setting that the engine lacks.
    """
    check_choice("engine", name, ENGINES)
    for setting, value in settings.items():
        if value is not None and setting not in ENGINES[name].settings:
            raise BadArgumentError(
                f"`{setting}` needs `engine` native; add it, or leave `{setting}` out."
            )
    return ENGINES[name]


def computed_by(
    task: AnyTask,
    engine: str,
    *,
    precision: str | None,
    threads: int | None,
    say: Say = lambda sentence: None,
) -> AnyTask:
    """Return the task as `Task.run_by` gives it, with threads for whichever engine computes."""
    kind = check_engine(engine, precision=precision)
    number = threads if "threads" in kind.settings else None
    task = task.run_by(engine, precision=precision, threads=number, say=say)
    if threads:
        task.engine.use_threads(threads)
    return task


def as_array(x: Array) -> NDArray[np.float32]:
    """Return a tensor, (…), or an array, as an array of float32."""
    array: NDArray[np.float32] = x if isinstance(x, np.ndarray) else x.float().cpu().numpy()
    return array


def device_of(model: nn.Module) -> torch.device:
    """Return the device of a model's parameters."""
    return next(model.parameters()).device
