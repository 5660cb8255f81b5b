"""What a text-to-text task computes with: an encoder–decoder, or the same packed for ONNX Runtime.

Ids go in, hypotheses come out. What reads and writes text needs of the model only `IdConfig`, so a
model that is packed already is loaded when something asks for the model itself: a trace, an
alignment, training.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import Checkpoint
from regard.errors import UnavailableError, UnsupportedError
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.tasks.batching import cores

if TYPE_CHECKING:
    from regard.models import AnyEncoderDecoder
    from regard.runtime.packed import PackedEncoderDecoder

T = TypeVar("T")
Ids = NDArray[np.int64]


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
class IdConfig:
    """What token ids depend on: a part of a model's config."""

    vocab_size: int  # of the source
    decoder_vocab_size: int  # of the target
    max_positions: int | None  # None: no limit
    pad_id: int
    eos_id: int
    start_id: int

    @classmethod
    def of(cls, config: Any) -> IdConfig:
        """Of an encoder–decoder's config."""
        endless = getattr(config, "positions", None) == "relative"
        return cls(
            vocab_size=config.vocab_size,
            decoder_vocab_size=config.target_vocab_size or config.vocab_size,
            max_positions=None if endless else config.max_positions,
            pad_id=config.pad_id,
            eos_id=config.eos_id,
            start_id=config.start_id,
        )


@dataclass(frozen=True)
class Packing:
    """A packed model, and the weights that it was made from."""

    model: PackedEncoderDecoder
    precision: str
    threads: int | None  # that compute one batch; None: one, and batches are computed in parallel
    state: State | None  # of the parameters that were packed; None: they were those of the files


State = tuple[Any, ...]


class Network:
    """An encoder–decoder: its ids, the model itself, and the packed model that computes for it.

    Args:
        config: what ids depend on.
        load: gives the model itself.
        source: the folder that the model is loaded from; None: it exists in memory only.
    """

    def __init__(
        self,
        config: IdConfig,
        load: Callable[[], AnyEncoderDecoder],
        *,
        source: Checkpoint | None = None,
    ):
        self.config = config
        self.source = source
        self._loaded = Later(lambda: _with_state(load(), source))
        self._model = Later(lambda: self._loaded()[0])
        self._packing: Later[Packing | None] = Later(lambda: None)

    @classmethod
    def of(cls, model: AnyEncoderDecoder) -> Network:
        """Of a model in memory, which computes itself."""
        return cls(IdConfig.of(model.config), lambda: model)

    @classmethod
    def of_checkpoint(cls, checkpoint: Checkpoint, *, lazily: bool = False) -> Network:
        """Of a model folder.

        Args:
            lazily: leave the model in its files where it has been packed before, so its files are
                whole.

        Raises:
            UnsupportedError: not an encoder–decoder that writes.
            DamagedFileError: a damaged file.
        """
        known = _known(checkpoint) if lazily else None
        if known is not None:
            return cls(known, lambda: _load(checkpoint), source=checkpoint)
        model = _load(checkpoint)
        network = cls(IdConfig.of(model.config), lambda: model, source=checkpoint)
        _ = network.model  # from here on, a change of its weights is noticed
        return network

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self.model,)  # a copy is of the model in memory

    @property
    def model(self) -> AnyEncoderDecoder:
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
        """How many batches to decode at the same time."""
        packing = self.packing
        return cores() if packing is not None and packing.threads is None else 1

    def starting_from(self, start_id: int) -> Network:
        """The same weights in a model whose decoder reads another token first."""
        if start_id == self.config.start_id:
            return self
        return self._with(
            config=replace(self.config, start_id=start_id),
            _model=Later(lambda: _starting_from(self.model, start_id)),
        )

    def by_torch(self) -> Network:
        """The same, computed by the model itself."""
        return self._with(_packing=Later(lambda: None))

    def packed(self, precision: str, threads: int | None, say: Callable[[str], None]) -> Network:
        """The same, computed by the packed model. One that has not been packed is packed now.

        Raises:
            RegardError: as `runtime.packing.pack`.
        """
        packing = self._pack(precision, threads, say)
        return self._with(_packing=Later(lambda: packing))

    def packed_if_possible(
        self, precision: str | None, threads: int | None, say: Callable[[str], None]
    ) -> Network:
        """The same, computed by the packed model where that is possible; by the model itself where
        it cannot be packed or is not on the CPU. Decided at the first use.

        Args:
            precision: None: fp32.
            say: called with the reason, too, where the precision is not possible.
        """

        def best() -> Packing | None:
            if self._loaded.is_made and self._loaded()[0].output_weight.device.type != "cpu":
                return None
            try:
                return self._pack(precision or "fp32", threads, say)
            except (UnsupportedError, UnavailableError) as error:
                if precision not in (None, "fp32"):
                    say(f"{error} The model itself computes, in fp32.")
                return None

        return self._with(_packing=Later(best))

    def padded(self, sources: Sequence[Sequence[int]]) -> Ids:
        """Ids of several texts with padding behind them, (batch, source length)."""
        padded = np.full((len(sources), max(map(len, sources))), self.config.pad_id, np.int64)
        for row, ids in zip(padded, sources, strict=True):
            row[: len(ids)] = ids
        return padded

    def decode(
        self, sources: Sequence[Sequence[int]], config: GenerationConfig, numbers: Sequence[int]
    ) -> list[list[Hypothesis]]:
        """The n best answers to the ids of each source.

        Args:
            config: with a decoder_start_token_id.
            numbers: what sets each source's random numbers apart.
        """
        source = self.padded(sources)
        start = np.full((len(source), 1), config.decoder_start_token_id, np.int64)
        packing = self.packing
        if packing is not None:
            state = packing.model.start(source)
            return generate(state, start, config, sentence_numbers=numbers)
        import torch

        model = self.model
        with torch.inference_mode():
            device = model.output_weight.device
            ids, prompt = (torch.from_numpy(each).to(device) for each in (source, start))
            return generate(model.start(ids), prompt, config, sentence_numbers=numbers)

    def _with(self, **changes: Any) -> Network:
        other = object.__new__(Network)  # copy.copy makes what __reduce__ says
        vars(other).update(vars(self) | changes)
        return other

    def _pack(self, precision: str, threads: int | None, say: Callable[[str], None]) -> Packing:
        from regard.runtime.packing import pack_writer

        each = 1 if threads is None else threads
        if self.source is not None and not self._is_changed:
            packed = pack_writer(self.source, precision, threads=each, say=say)
            return Packing(packed, precision, threads, None)
        model, _ = self._loaded()
        packed = pack_writer(model, precision, threads=each, say=say)
        return Packing(packed, precision, threads, _state(model))

    @property
    def _is_changed(self) -> bool:
        if not self._loaded.is_made:
            return False
        model, loaded = self._loaded()
        return _state(model) != loaded


def _known(checkpoint: Checkpoint) -> IdConfig | None:
    """What a packed model says of the model; None where it has not been packed."""
    from regard.runtime.packing import packed_config

    with suppress(UnavailableError):
        config = packed_config(checkpoint, "EncoderDecoder")
        return None if config is None else IdConfig.of(SimpleNamespace(**config))
    return None


def _load(checkpoint: Checkpoint) -> AnyEncoderDecoder:
    import torch

    from regard.checkpoints import from_pretrained
    from regard.models import AnyEncoderDecoder, EncoderDecoder

    with torch.inference_mode(False):  # it may be trained later
        model = from_pretrained(checkpoint)
    if not isinstance(model, AnyEncoderDecoder):
        raise UnsupportedError(
            f"{checkpoint.folder} must hold an encoder–decoder, such as Marian, BART or T5; it"
            f" holds a {checkpoint.settings['model_type']} model. Use a checkpoint made for this"
            " task."
        )
    if isinstance(model, EncoderDecoder) and model.head is not None:
        raise UnsupportedError(
            f"{checkpoint.name} must be a model that writes (…ForConditionalGeneration); its head"
            f" is {model.config.head!r}. Give a checkpoint made for this task."
        )
    return model


def _with_state(
    model: AnyEncoderDecoder, source: Checkpoint | None
) -> tuple[AnyEncoderDecoder, State]:
    return model, () if source is None else _state(model)


def _state(model: AnyEncoderDecoder) -> State:
    """What changes when a parameter is written to, replaced or moved; its values are not read."""
    return tuple(
        (id(each), each.data_ptr(), 0 if each.is_inference() else each._version)
        for each in model.parameters()
    )


def _starting_from(model: AnyEncoderDecoder, start_id: int) -> AnyEncoderDecoder:
    other = copy.copy(model)  # shares parameters and modules: moving one moves both
    other.config = replace(model.config, start_id=start_id)
    return other
