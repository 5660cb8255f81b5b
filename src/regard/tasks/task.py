"""What all tasks have in common: a model that can be loaded, called and moved."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from regard.errors import BadArgumentError, UnavailableError, UnsupportedError, check_choice

if TYPE_CHECKING:
    import torch
    from torch import nn

    from regard.checkpoints import CheckpointLike
    from regard.inspection import Trace
    from regard.runtime.packed import Packed

ENGINES = ("auto", "torch", "onnx")


class Task(ABC):
    """A model with everything it needs for one use: what `regard.load` gives."""

    model: nn.Module
    name: str  # what messages call it
    packed: Packed | None = None  # what computes the results, where it is not the model itself

    @classmethod
    @abstractmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None) -> Self:
        """The model of a folder, of a shipped name or of "hub:org/name"."""

    @property
    def device(self) -> torch.device:
        """Where the model computes; `.model.to(device)` moves it."""
        return next(self.model.parameters()).device

    def run_by(
        self,
        engine: str = "auto",
        *,
        precision: str | None = None,
        threads: int | None = None,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> Self:
        """The same task, computed by another engine.

        Looking inside uses the model itself, whichever engine computes the results.

        Args:
            engine: "torch": the model itself. "onnx": the model packed for ONNX Runtime, which runs
                on the CPU. "auto": "onnx" where the model can be packed and is on the CPU, else
                "torch".
            precision: of "onnx": "fp32", the default, "int8" or "int4"; see `runtime.packing.pack`.
            threads: of "onnx", that compute one batch; by default one, and a translator computes
                several batches at the same time, one on each core.
            say: called with a sentence where packing takes longer than a second.

        Raises:
            BadArgumentError: an unknown engine or precision, or a setting of another engine.
            UnsupportedError: the model cannot be packed.
            UnavailableError: the packed model cannot be written, or the processor lacks the
                precision.
        """
        check_choice("engine", engine, ENGINES)
        if engine == "torch" and (precision is not None or threads is not None):
            raise BadArgumentError('precision and threads are settings of engine="onnx".')
        return self._run_by(engine, precision, threads, say)

    def _run_by(
        self, engine: str, precision: str | None, threads: int | None, say: Callable[[str], None]
    ) -> Self:
        other, each = copy.copy(self), 1 if threads is None else threads
        other.packed = None
        if engine == "onnx":
            other.packed = self._pack(precision or "fp32", each, say)
        elif engine == "auto" and self.device.type == "cpu":
            try:
                other.packed = self._pack(precision or "fp32", each, say)
            except (UnsupportedError, UnavailableError) as error:
                if precision not in (None, "fp32"):
                    say(f"{error} The model itself computes, in fp32.")
        return other

    def _pack(self, precision: str, threads: int, say: Callable[[str], None]) -> Packed:
        """The model, packed."""
        from regard.runtime.packing import pack

        return pack(self.model, precision, threads=threads, say=say)

    @abstractmethod
    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """The bare answer to one input; a list of them to a list."""

    @abstractmethod
    def run(self, *inputs: Any, **options: Any) -> Any:
        """A result for each input, with everything that is known of it."""

    @abstractmethod
    def trace(self, *inputs: Any, **options: Any) -> Trace:
        """What every attention layer was given for one input."""


def check_text(ids: Sequence[int], room: int, name: str) -> None:
    """Raises BadArgumentError for a text of no tokens, or of more than a model has positions."""
    if not ids:
        raise BadArgumentError("there is no text to look at; give a sentence.")
    if len(ids) > room:
        raise BadArgumentError(
            f"a text may have {room} tokens with {name}; got {len(ids)}. Look at a part of it."
        )
