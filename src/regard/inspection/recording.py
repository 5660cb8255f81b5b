"""Recording a run: the attention calls of a module become taps, while the run goes on as it would.

Query, key and value are copied as they are captured, into memory of the trace's own or, when that
would be too much, into files that the operating system pages in and out. The run itself computes
what it does without this, with the same kernels and to the same bit.
"""

import os
import re
import sys
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Union

import numpy as np
from numpy.typing import NDArray

from regard import models
from regard.arrays import Array, arrays_of, torch_if_imported
from regard.attention import Call, listening
from regard.attention.record import Attention
from regard.errors import UnsupportedError, check_choice
from regard.inspection.tap import Tap
from regard.inspection.trace_data import Edit
from regard.inspection.watching import watching
from regard.lazy import torch

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from torch import Tensor, nn
    from typing_extensions import TypeIs

    from regard.attention.disentangled import Distances
    from regard.models import Model
    from regard.models.configs.facts import Heads

IN_MEMORY = 2 * 2**30  # bytes that a trace keeps in memory before it goes to disk
KEEP = ("auto", "memory", "disk")
NUMBER = re.compile(r"\d+")  # in a tap's name
Listener = Callable[[str, Call], Array | None]


class EngineModel(Protocol):
    """A model of the native engine, whose runs can be listened to: `engine.native.looking`."""

    axes: ClassVar[tuple[str, ...]]
    stepwise: ClassVar[bool]
    writing: ClassVar[str]
    packed: Any
    config: Any

    @property
    def writes(self) -> bool: ...
    def __call__(self, **inputs: Array) -> Array: ...
    def module(self) -> "nn.Module": ...
    def attentions(self) -> "dict[str, Heads]": ...
    def weight(self, name: str) -> NDArray[np.float32] | None: ...
    def projection(self, path: str) -> NDArray[np.float32]: ...
    def distances(self, path: str, length: int) -> "Distances | None": ...
    def keeping(self, keep: str) -> AbstractContextManager[Any]: ...
    def tell(self, kept: Any, listener: Listener) -> None: ...
    def capturing(
        self,
        listener: Listener | None = None,
        at: Callable[[str, int, Array], Array | None] | None = None,
        routed: Callable[[str, Array], None] | None = None,
    ) -> AbstractContextManager[None]: ...


Looked = Union["nn.Module", EngineModel]
Ours = Union["Model", EngineModel]


@contextmanager
def capturing(model: Looked, listener: Listener) -> Iterator[None]:
    """Call `listener` for each attention of a module, or of the native engine's model, that this
    context runs.

    It gets the path of the module that called `attend` ("attend" if that is the model itself) and
    the call; a tensor that it returns replaces the output. Nothing is written to the model, so
    other threads can run, trace and copy it at the same time.
    """
    if not is_module(model):
        with model.capturing(listener):
            yield
        return
    paths = {module: path for path, module in model.named_modules()}
    with listening(lambda call: listener(calling_path(paths) or "attend", call)):
        yield


@contextmanager
def routing(model: Looked, listener: Callable[[str, Array], None]) -> Iterator[None]:
    """Call `listener` with the path of each mixture of experts that this context runs and its
    router's probabilities, (batch, length, experts)."""
    if not is_module(model):
        with model.capturing(routed=listener):
            yield
        return
    paths = {
        module.router: path
        for path, module in model.named_modules()
        if isinstance(module, models.layers.MixtureOfExperts)
    }

    def after(router: "nn.Linear", args: tuple[Any, ...], logits: Array) -> None:
        listener(paths[router], logits.detach().float().softmax(-1))

    with watching(paths, after=after):
        yield


def is_module(model: object) -> "TypeIs[nn.Module]":
    """Return True for a module of torch."""
    torch = torch_if_imported()
    return torch is not None and isinstance(model, torch.nn.Module)


def calling_path(paths: "Mapping[nn.Module, str]") -> str | None:
    """Return the path of the innermost of these modules that is running in this thread."""
    # The call stack belongs to this thread; hooks on a module would run in every thread.
    frame: FrameType | None = sys._getframe(1)  # this frame would refer to itself
    while frame is not None:
        caller: Any = frame.f_locals.get("self")
        if is_module(caller) and caller in paths:
            return paths[caller]
        frame = frame.f_back
    return None


def check_traceable(model: Looked) -> None:
    """Raise UnsupportedError for a module that is compiled or in training mode."""
    if not is_module(model):
        return
    if hasattr(model, "_orig_mod") or model._compiled_call_impl is not None:
        raise UnsupportedError(
            "a compiled model hides its attention layers; trace the model as it was before"
            " torch.compile."
        )
    if model.training:
        raise UnsupportedError(
            "a trace shows what the model does when it is used, without dropout;"
            " call model.eval() first."
        )


@dataclass
class Recorder:
    """Listens, and makes a tap of each call.

    Args:
        keep: where query, key and value stay: "memory", "disk", or "auto", disk for what would
            make the trace larger than 2 GiB.
    """

    keep: str = "auto"
    taps: dict[str, Tap] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("keep", self.keep, KEEP)
        self._bytes = 0
        self._memory = Memory()

    def add(self, name: str, call: Call, *, queries: str, keys: str, kind: str) -> Tap:
        """Make the tap. A name that comes again (a layer used twice) gets a number."""
        inputs = call.inputs
        name = self._unused(name)
        number = NUMBER.search(name)
        tap = Tap(
            name=name,
            side="decoder" if name.startswith("decoder") else "encoder",
            kind=kind,
            layer=int(number[0]) if number else len(self.taps),
            attention=Attention(
                query=self._kept(inputs.query),
                key=self._kept(inputs.key),
                value=self._kept(inputs.value),
                score=inputs.score,
                mask=inputs.mask,
                bias=inputs.bias,
            ),
            queries=queries,
            keys=keys,
            known_lse=call.lse,
        )
        self.taps[name] = tap
        return tap

    def _unused(self, name: str) -> str:
        if name not in self.taps:
            return name
        times = 2
        while f"{name}#{times}" in self.taps:
            times += 1
        return f"{name}#{times}"

    def _kept(self, array: Array) -> Array:
        self._bytes += array.nbytes
        if isinstance(array, np.ndarray):  # a copy already
            in_memory = self.keep == "memory" or (self.keep == "auto" and self._bytes <= IN_MEMORY)
            if in_memory == isinstance(array, np.memmap):
                return np.array(array) if in_memory else array_on_disk(array)
            return array
        tensor: Tensor = array.detach()
        if tensor.device.type != "cpu":
            return tensor  # where it is, it stays
        if self.keep == "memory" or (self.keep == "auto" and self._bytes <= IN_MEMORY):
            return self._memory.copy(tensor)
        return on_disk(tensor)


class Memory:
    """Copies of tensors, one after another in large blocks.

    Keeping the run's own tensors would cost more than copying them: what a layer has freed, the
    next one uses again, and the system has to find and clear the rest, page by page. So
    blocks are used again too: those of traces that are gone serve the next.
    """

    BLOCK = 32 * 2**20  # bytes; pages that are not written to take no memory
    SPARE = 8  # blocks kept for the next trace
    ALIGNMENT = 64  # bytes: a cache line, and a register of AVX-512
    _spare: ClassVar[list[NDArray[np.uint8]]] = []

    def __init__(self) -> None:
        self._block: Any = b""  # of torch, when there is one
        self._used = 0

    def copy(self, tensor: "Tensor") -> "Tensor":
        """Copy a tensor, contiguously."""
        if self._used + tensor.nbytes > len(self._block):
            self._block, self._used = self._new_block(tensor.nbytes), 0
        room = self._block[self._used : self._used + tensor.nbytes]
        self._used += -(-tensor.nbytes // self.ALIGNMENT) * self.ALIGNMENT
        return room.view(tensor.dtype).view(tensor.shape).copy_(tensor)

    def _new_block(self, least: int) -> "Tensor":
        if least > self.BLOCK:
            return torch.empty(least, dtype=torch.uint8)
        try:  # not tested first: another thread could take the last one in between
            memory = self._spare.pop()
        except IndexError:
            memory = np.empty(self.BLOCK, dtype=np.uint8)
        borrowed = memory[:]  # lives as long as the last tensor in it does
        weakref.finalize(borrowed, self._give_back, memory)
        return torch.from_numpy(borrowed)

    @classmethod
    def _give_back(cls, memory: NDArray[np.uint8]) -> None:
        if len(cls._spare) < cls.SPARE:
            cls._spare.append(memory)


def array_on_disk(array: NDArray[Any]) -> NDArray[Any]:
    """Copy an array (…) to a temporary file that is paged in as it is read."""
    mapped = empty_on_disk(array.shape, array.dtype)
    mapped[...] = array
    return mapped


def empty_on_disk(shape: tuple[int, ...], dtype: "DTypeLike") -> NDArray[Any]:
    """Return an array in a temporary file that is paged in as it is read."""
    with tempfile.TemporaryFile(prefix="regard-trace-") as file:
        return np.memmap(file, dtype, "w+", shape=shape)


def on_disk(tensor: "Tensor") -> "Tensor":
    """Copy a tensor to a temporary file that is paged in as it is read."""
    handle, path = tempfile.mkstemp(prefix="regard-trace-")
    os.close(handle)
    try:
        mapped = torch.from_file(path, shared=True, size=tensor.numel(), dtype=tensor.dtype)
    finally:
        # The mapping keeps the file's contents; without a name they go when the tensor does.
        with suppress(PermissionError):  # where an open file cannot be removed
            os.unlink(path)
    return mapped.view(tensor.shape).copy_(tensor)


def joined(calls: Sequence[Call]) -> Call:
    """Return the one call that has every step's query, over the keys that all steps share."""
    if not calls:
        raise UnsupportedError(
            "there is no attention to look at: this recurrent model sees one fixed context;"
            " choose a model with attention 'bahdanau' or 'luong'."
        )
    if len(calls) == 1:
        return calls[0]
    concatenate = arrays_of(calls[0].inputs.query).library.concatenate
    query = concatenate([call.inputs.query for call in calls], 2)
    sums = [call.lse for call in calls if call.lse is not None]
    return Call(
        calls[0].inputs._replace(query=query),
        concatenate([call.output for call in calls], 2),
        concatenate(sums, 2) if len(sums) == len(calls) else None,
    )


def row_by_row(edit: Edit, rows: int) -> Edit:
    """Return an edit of a layer of so many rows, for a model that computes them one after the
    other.

    Each step is shown to `edit` as if all rows were like it, and its own row of the answer counts.
    """
    steps: Counter[str] = Counter()

    def edit_step(name: str, call: Call) -> Array | None:
        if call.inputs.query.shape[2] == rows:
            return edit(name, call)
        row = steps[name]
        steps[name] += 1
        output = edit(name, _repeated(call, rows))
        return None if output is None else output[:, :, row : row + 1]

    return edit_step


def _repeated(call: Call, rows: int) -> Call:
    return Call(
        call.inputs._replace(query=call.inputs.query.expand(-1, -1, rows, -1)),
        call.output.expand(-1, -1, rows, -1),
        None if call.lse is None else call.lse.expand(-1, -1, rows),
    )
