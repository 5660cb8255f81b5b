"""A model of the native engine as what is looked at: its run, listened to.

The engine hands out what each attention of a run was given, and the residual stream between its
layers, where they are; what the listener returns takes their place.
"""

import copy
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard import checkpoints
from regard.arrays import Array
from regard.attention.disentangled import Distances
from regard.attention.masks import Causal, Mask, Window
from regard.attention.record import Attention, Call, with_sink
from regard.attention.scores import Score, score_of
from regard.checkpoints import Checkpoint
from regard.engine.native import interface, library
from regard.engine.native.keeping import Floats, Kept, Numbers
from regard.engine.native.loading import open_native, part_of, weights_of
from regard.engine.native.texts import Ints
from regard.errors import UnavailableError, UnsupportedError
from regard.inspection.recording import array_on_disk
from regard.lazy import torch
from regard.models.configs.facts import (
    DualFacts,
    Facts,
    ImageFacts,
    PairFacts,
    SpeechFacts,
    TextFacts,
)
from regard.progress import Stopped, at_exit, check

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from torch import nn

    from regard.inspection.recording import Ours
    from regard.models import Model

Listener = Callable[[str, Call], Floats | None]
AtLayer = Callable[[str, int, Floats], Floats | None]
"""Called with a stack, the number of its layers that have run, and the states, (1, length,
d_model); an array that it returns takes their place."""

MOST_LOGITS = 2**26  # that are computed together: 256 MiB
IN_MEMORY = 2**26  # bytes of an array; a larger one is copied to a file

_ALL = 1 << 30  # of a query's sight
_MEMORY: Any = ctypes.c_char * (sys.maxsize // 2)  # one type for all sizes: making one takes longer
_now = threading.local()  # the listeners of this thread


class Seen(Facts):
    """A model as the engine has packed it.

    Args:
        packed: of `loading.open_native`.
        model: of which it was packed.
        start_id: that its decoder reads first, where it is another than the model's.
        side: which of the model's two encoders it is; empty: it is the model.
    """

    def __init__(
        self, packed: Any, model: "Model | Checkpoint", start_id: int | None = None, side: str = ""
    ):
        self.packed, self._model, self._side = packed, model, side
        config: Any = getattr(model.config, side) if side else model.config
        self.architecture: str = model.architecture
        self.config = config if start_id is None else replace(config, start_id=start_id)

    def __call__(self, **inputs: Array) -> Floats:
        """Return the output of the model's forward."""
        output: Floats = self.packed(**inputs)
        return output

    def module(self) -> "nn.Module":
        """Return the model as a module of torch, in evaluation mode."""
        with torch.inference_mode(False):
            model = self._model
            if isinstance(model, Checkpoint):
                model = checkpoints.from_pretrained(model)
        if self._side:
            return getattr(model, self._side)
        if model.config != self.config:
            model = copy.copy(model)  # shares parameters and modules
            model.config = self.config
        return model

    @cached_property
    def _weights(self) -> dict[str, Any]:
        return part_of(weights_of(self._model)[1], self._side)

    @cached_property
    def _score(self) -> Score:
        return score_of(self.config)

    def weight(self, name: str) -> Floats | None:
        """Return a weight by its name in `models`, in float32; None if it has no such weight."""
        weight = self._weights.get(name)
        if weight is None:
            return None
        array: NDArray[Any] = np.asarray(weight)
        if array.dtype == np.uint16:  # bfloat16's bits
            array = (array.astype(np.uint32) << 16).view(np.float32)
        return array

    def projection(self, path: str) -> Floats:
        """W_O of each head of an attention, (heads, head_dim, d_model)."""
        weight = self.weight(f"{path}.output.weight")
        assert weight is not None, "every attention has an output projection"
        projection: Floats = weight.T.reshape(self.attentions()[path].heads, -1, len(weight))
        return projection

    def distances(self, path: str, length: int) -> Distances | None:
        """Return the distances that an attention compares queries and keys with in a text of this
        length; None if it compares no distances."""
        rows = self._weights.get("encoder.distances.rows")
        if rows is None:
            return None
        heads, reach, places = self.attentions()[path].heads, len(rows) // 2, np.arange(length)
        apart = np.clip(places[:, None] - places, -reach, reach) + reach
        query, key = (self._weights[f"{path}.distances.{name}"] for name in ("query", "key"))
        shape = (1, len(query), heads, -1)
        query, key = (x.reshape(shape).swapaxes(1, 2) for x in (query, key))
        return Distances(query, key, rows[apart].astype(np.int64))

    def keeping(self, keep: str) -> Kept:
        """Return a context whose runs are kept, for `tell`; the argument is that of `Kept`. A run
        costs less than if it is captured."""
        return Kept(keep)

    @contextmanager
    def capturing(
        self,
        listener: Listener | None = None,
        at: AtLayer | None = None,
        routed: Callable[[str, Floats], None] | None = None,
    ) -> Iterator[None]:
        """Call `listener` for each attention that this thread runs, as `inspection.capturing` does,
        `at` for the states between its layers, and `routed` for a router's probabilities; what is
        None here is as it is outside."""
        failed: list[BaseException] = []

        def receive(address: int) -> int:
            try:
                check()  # whether the work is still wanted
                at_exit.check()
                if library.kind_at(address) == interface.STATES and at is None:
                    return 0
                what = library.Captured.at(address)
                if what.kind == interface.STATES:
                    assert at is not None, "else nothing is replaced"
                    states = _states(what, _array)
                    _replace(states, at(_stack(what), what.layer, states.copy()))
                else:
                    self._tell(what, _copied, listener, routed)
            except BaseException as error:  # which C would lose
                failed.append(error)
            return len(failed)

        outer = getattr(_now, "listeners", (None, None, None))
        listener, at, routed = _now.listeners = (
            listener or outer[0],
            at or outer[1],
            routed or outer[2],
        )
        with at_exit.calling_back():
            before = library.listen(interface.Listener(receive))
            try:
                yield
            except Stopped:
                if failed:
                    raise failed[0] from None
                raise
            finally:
                library.listen(*before)
                _now.listeners = outer

    def tell(self, kept: Kept, listener: Listener) -> None:
        """Call `listener` for each attention that was kept, without an output, which it may not
        replace, and who listens to routers here for theirs."""
        _, _, routed = getattr(_now, "listeners", (None, None, None))
        for what, numbers in kept:
            self._tell(what, numbers, listener, routed)

    def _tell(
        self,
        what: library.Captured,
        numbers: Numbers,
        listener: Listener | None,
        routed: Callable[[str, Floats], None] | None,
    ) -> None:
        path = f"{_stack(what)}.layers.{what.layer}."
        if what.kind == interface.ROUTES:
            if routed is not None:
                routed(f"{path}feed_forward", _states(what, numbers))
        elif listener is not None:
            path += "cross_attention" if what.kind == interface.CROSS else "self_attention"
            if what.kind == interface.CROSS and not what.of_decoder:
                path = "head.pool.cross_attention"
            output = _output(what) if what.output else None
            call = Call(self._attention(path, what, numbers), output, _lse(what, numbers))
            replacement = listener(path, call)
            if output is not None:
                _replace(output, replacement)

    def _attention(self, path: str, what: library.Captured, numbers: Numbers) -> Attention:
        keys, heads, width, stride = what.keys, what.key_heads, what.head_width, what.key_stride
        shape = (1, heads, keys, what.head_dim)
        key = numbers(what.key, shape, (0, width * stride, what.key_step, stride))
        value = numbers(what.value, shape, (0, width, what.value_stride, 1))
        shape = (1, what.heads, what.queries, what.head_dim)
        query = numbers(what.query, shape, (0, width, what.query_stride, 1))
        bias = None
        if what.bias:
            reach = what.reach
            table = _array(what.bias, (what.heads, 2 * reach + 1), (2 * reach + 1, 1))
            distance = np.arange(keys) - (what.first + np.arange(what.queries))[:, None]
            bias = table[:, np.clip(distance, -reach, reach) + reach][None]
        distances = self.distances(path, keys)
        if distances is not None:
            to_position, to_content = distances.scores(self._score, query, key)
            bias = to_position + to_content
        attention = Attention(
            query=query,
            key=key,
            value=value,
            score=self._score,
            mask=_mask(what),
            bias=bias,
        )
        if not what.sinks:
            return attention
        sinks = _array(what.sinks, (what.heads,), (1,)).copy()
        return with_sink(attention, sinks.reshape(1, -1, 1, 1))


class SeenText(TextFacts, Seen):
    """A decoder alone."""

    def __call__(self, **inputs: Array) -> Floats:
        if not self.writes:
            return super().__call__(**inputs)
        logits: Floats = Logits(self.packed, self.packed.hidden(inputs["ids"]))[:]
        return logits


class Logits:
    """Logits of states, (…, d_model), as an array of (…, vocab) whose parts are computed when they
    are asked for: those of many tokens together would fill the memory.

    A part of at most MOST_LOGITS numbers is an array.
    """

    def __init__(self, packed: Any, states: Floats):
        self._packed, self._states = packed, states
        self.shape = (*states.shape[:-1], packed.vocab)
        self.ndim, self.dtype = states.ndim, states.dtype

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, places: Any) -> Any:
        """Parts by places on all axes but the last."""
        part = Logits(self._packed, self._states[places])
        return part if np.prod(part.shape) > MOST_LOGITS else np.asarray(part)

    def __array__(self, dtype: "DTypeLike | None" = None, copy: bool | None = None) -> Floats:
        rows = np.ascontiguousarray(self._states.reshape(-1, self._states.shape[-1]))
        logits: Floats = self._packed.logits(rows).reshape(self.shape)
        return logits


class SeenPair(PairFacts, Seen):
    """An encoder–decoder."""

    def __call__(self, **inputs: Array) -> Floats:
        if not self.writes:
            return super().__call__(ids=inputs["source"])
        states = self.hidden(inputs["source"], inputs["target"])
        logits: Floats = self.packed.logits(states[0])[None]
        return logits

    def hidden(self, source: Ints, target: Ints) -> Floats:
        """Return the decoder's last states, (1, target length, d_model), of one text that
        writes."""
        states: Floats = self.packed.states_beside(source, self.shift_right(target))
        return states


class SeenSpeech(SpeechFacts, SeenPair):
    """An encoder of a sound and a decoder of its text."""


class SeenImage(ImageFacts, Seen):
    """A Transformer for images."""


class SeenDual(DualFacts, Seen):
    """Two encoders, each of which is looked at."""

    def __init__(self, packed: Any, model: "Model | Checkpoint", start_id: int | None = None):
        super().__init__(packed, model)
        self.text = Seen(packed.text, model, side="text")
        self.image = SeenImage(packed.image, model, side="image")


KINDS = {
    "DualEncoder": SeenDual,
    "Encoder": Seen,
    "Decoder": SeenText,
    "EncoderDecoder": SeenPair,
    "SpeechEncoderDecoder": SeenSpeech,
    "VisionTransformer": SeenImage,
}


def seen(packed: Any, model: "Model | Checkpoint", start_id: int | None = None) -> Seen:
    """Return a model of the engine, to be looked at; the arguments are those of `Seen`."""
    return KINDS[model.architecture](packed, model, start_id)


def opened(checkpoint: Checkpoint) -> "Ours":
    """Return the model of a folder, to be looked at: the engine's or, where that cannot run it, the
    module."""
    try:
        return seen(open_native(checkpoint), checkpoint)
    except (UnsupportedError, UnavailableError):
        return checkpoints.from_pretrained(checkpoint)


def _array(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
    """Return the engine's numbers, where they are; strides are in numbers."""
    memory: Any = _MEMORY.from_address(address)
    return np.ndarray(shape, np.float32, memory, strides=[4 * step for step in strides])


def _copied(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Floats:
    """Return the same, contiguous, in memory of their own or in a file."""
    array = _array(address, shape, strides)
    return array.copy() if array.nbytes <= IN_MEMORY else array_on_disk(array)


def _stack(what: library.Captured) -> str:
    return "decoder" if what.of_decoder else "encoder"


def _output(what: library.Captured) -> Floats:
    shape = (1, what.heads, what.queries, what.head_dim)
    return _array(what.output, shape, (0, what.head_width, what.output_stride, 1))


def _states(what: library.Captured, numbers: Numbers) -> Floats:
    return numbers(what.output, (1, what.queries, what.head_dim), (0, what.output_stride, 1))


def _lse(what: library.Captured, numbers: Numbers) -> Floats | None:
    if not what.lse:
        return None
    return numbers(what.lse, (1, what.heads, what.queries), (0, what.queries, 1))


def _replace(place: Floats, numbers: Floats | None) -> None:
    if numbers is not None and numbers is not place:
        place[...] = numbers


def _mask(what: library.Captured) -> Mask | None:
    if what.after >= _ALL:
        return None
    return Causal() if what.before >= _ALL else Causal() & Window(what.before, 0)
