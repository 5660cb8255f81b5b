"""Packed models, opened: arrays in, arrays out. Neither torch nor onnx is needed.

A packed model is a folder: pack.json, the graphs and the file of their weights.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnavailableError,
    refusing,
)
from regard.files import sha256
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.json_files import JsonObject, read_object
from regard.runtime.decodes import Batch, Slots
from regard.runtime.padding import not_padding
from regard.runtime.rows import Ints, Rows, check_length
from regard.runtime.session import Session, remove_damaged
from regard.version import __version__

MANIFEST = "pack.json"
PROBE = "probe"  # the graph that `linear.probe` makes
BODY, HEAD = "body", "head"  # the graphs of a model that reads for a head
FEWEST = 4  # texts that a thread decodes: a step of fewer takes hardly less time


@dataclass(frozen=True)
class Limits:
    """Limits of the ids that a model can read."""

    vocab_size: int
    max_positions: int | None  # None: no limit
    pad_id: int | None

    def __post_init__(self) -> None:
        """Check the values, which come from a file."""
        for name, value in vars(self).items():
            if value is None and name != "vocab_size":
                continue
            if type(value) is not int or not 0 <= value < 2**31:
                raise BadArgumentError(f"{name} must be a whole number; got {value!r}.")

    def check(self, ids: Ints) -> None:
        """Raises BadArgumentError for ids (batch, length) that the model cannot read."""
        low, high = (int(ids.min()), int(ids.max())) if ids.size else (0, 0)
        if low < 0 or high >= self.vocab_size:
            raise BadArgumentError(
                f"token ids must be from 0 to {self.vocab_size - 1};"
                f" got {high if low >= 0 else low}. Does the tokenizer belong to this model?"
            )
        check_length(ids.shape[1], self.max_positions)


def check_ended(ended: Any) -> None:
    """Raises BadArgumentError unless every text has the end token, (batch,)."""
    if not ended.all():
        raise BadArgumentError(
            "each text must contain the end token, where its labels are read; got one without"
            " it. Use the model's own tokenizer."
        )


def check_pixels(shape: tuple[int, ...], expected: tuple[Any, ...]) -> None:
    """Raises BadArgumentError for images of another size or number of channels."""
    if shape[1:] != expected:
        raise BadArgumentError(
            f"pixels must be (batch, channels, height, width) with {expected} after batch;"
            f" got {shape}. Resize the images."
        )


class _Reading:
    """A model that reads for a head: its body, and its head, if it has one."""

    def __init__(self, folder: Path, limits: Limits, threads: int):
        self._body = Session(folder / f"{BODY}.onnx", threads=threads)
        self.folder, self.limits, self._threads = folder, limits, threads

    def head(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """States, (batch, length, d_model) → the head's output; without a head, the states."""
        return states if self._head is None else self._head.run({"states": states})[0]

    @cached_property
    def _head(self) -> Session | None:
        """Opened when it is needed: one that projects to a vocabulary is large."""
        file = self.folder / f"{HEAD}.onnx"
        return Session(file, threads=self._threads) if file.is_file() else None


class PackedReader(_Reading):
    """A model that reads texts for its head: an encoder, a decoder or an encoder–decoder."""

    def __call__(self, ids: Ints, **inputs: Any) -> NDArray[np.float32]:
        """The head's output, as the model's; the arguments are those of `hidden`."""
        return self.head(self.hidden(ids, **inputs))

    def hidden(
        self,
        ids: Ints,
        *,
        token_type_ids: Ints | None = None,
        attention_mask: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        """The states that the head reads, (batch, length, d_model); where a decoder's head reads
        labels, those of the token that they are read from, (batch, 1, d_model).

        Args:
            ids: (batch, length), padded on the right; of an encoder, on either side.
            token_type_ids: (batch, length); 0 by default.
            attention_mask: (batch, length), False for padding; by default, and always of an
                encoder–decoder, False where ids are the model's pad_id.

        Raises:
            BadArgumentError: ids that the model cannot read, token types that it does not have, or
                a text without the end token from which it reads labels.
        """
        self.limits.check(ids)
        names, inputs = self._body.shapes, {"ids": ids}
        if "mask" in names:
            mask = (
                not_padding(ids, self.limits.pad_id) if attention_mask is None else attention_mask
            )
            inputs["mask"] = mask.astype(np.int32)
        if "token_type_ids" in names:
            inputs["token_type_ids"] = (
                np.zeros_like(ids) if token_type_ids is None else token_type_ids
            )
        elif token_type_ids is not None:
            raise BadArgumentError("this model has no token types; got token_type_ids.")
        *ended, states = self._body.run(inputs)
        if ended:
            check_ended(ended[0])
        return states


class PackedVision(_Reading):
    """A model that reads images for its head."""

    def __call__(self, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        """(batch, channels, height, width) → the head's output, as the model's.

        Raises:
            BadArgumentError: images of another size or number of channels.
        """
        check_pixels(pixels.shape, tuple(self._body.shapes["pixels"][1:]))
        return self.head(self._body.run({"pixels": pixels})[0])


class PackedEncoderDecoder:
    """An encoder–decoder that writes. Several threads share a batch's texts."""

    def __init__(self, folder: Path, limits: Limits, threads: int):
        self.folder, self.limits = folder, limits
        self._encoder = Session(folder / "encoder.onnx")
        self._step = Session(folder / "step.onnx")
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def encode(self, source: Ints) -> NDArray[np.float32]:
        """Source ids, (batch, source length) → the encoder's states, (batch, source length,
        d_model)."""
        self.limits.check(source)
        mask = not_padding(source, self.limits.pad_id).astype(np.int32)
        return self._encoder.run({"ids": source, "mask": mask}, ["states"])[0]

    def generate(
        self,
        source: Ints,
        prompt: Ints,
        config: GenerationConfig,
        numbers: Sequence[int] | None = None,
    ) -> list[list[Hypothesis]]:
        """The best hypotheses for each source, (batch, source length).

        For a small model, threads that share a batch's texts are faster than those that share each
        product, since they would wait for each other at every operator.

        Args:
            prompt, config, numbers: as `generation.generate` takes them.
        """
        numbers = range(len(source)) if numbers is None else numbers
        parts = min(self._threads, max(len(source) // FEWEST, 1))

        def part(first: int, end: int) -> list[list[Hypothesis]]:
            return generate(
                self.start(source[first:end]),
                prompt[first:end],
                config,
                sentence_numbers=numbers[first:end],
            )

        ends = [len(source) * number // parts for number in range(parts + 1)]
        others = [self._pool.submit(part, *ends[k : k + 2]) for k in range(1, parts)]
        return [*part(0, ends[1]), *chain.from_iterable(other.result() for other in others)]

    def start(self, source: Ints) -> Batch:
        """Encodes source ids, (batch, source length), for generation to decode step by step."""
        self.limits.check(source)
        mask = not_padding(source, self.limits.pad_id).astype(np.int32)
        length = source.shape[1] - int(mask.max(0)[::-1].argmax())  # without what all have padded
        rows = self._rows()
        rows.begin(len(source))
        rows.encode(np.arange(len(source)), source[:, :length], mask[:, :length])
        return Batch(rows)

    def slots(self, width: int) -> Slots:
        """Slots of `width` rows, for texts that come and go."""
        return Slots(self._rows(), width)

    def _rows(self) -> Rows:
        return Rows(self._step, self.limits.max_positions, self._encoder)


class PackedDecoder:
    """A language model that writes."""

    def __init__(self, folder: Path, limits: Limits, threads: int):
        self.folder, self.limits = folder, limits
        self._step = Session(folder / "step.onnx", threads=threads)

    def start(self, attention_mask: NDArray[np.bool_] | None = None) -> Batch:
        """The rows by which generation reads a prompt; see `Batch`."""
        return Batch(Rows(self._step, self.limits.max_positions), attention_mask)

    def slots(self, width: int) -> Slots:
        """Slots of `width` rows, for texts that come and go."""
        return Slots(Rows(self._step, self.limits.max_positions), width)


Packed = PackedReader | PackedVision | PackedEncoderDecoder | PackedDecoder
NO_LIMITS = {"vocab_size": 0, "max_positions": None, "pad_id": None}  # of a model of images
KINDS: dict[str, type[Packed]] = {
    "Vision": PackedVision,
    "Reader": PackedReader,
    "EncoderDecoder": PackedEncoderDecoder,
    "Decoder": PackedDecoder,
}


def open_packed(folder: str | os.PathLike[str], *, threads: int = 1) -> Packed:
    """The packed model in a folder.

    Args:
        threads: that compute one batch.

    Raises:
        BadArgumentError: less than one thread.
        NotFoundError: there is no packed model.
        DamagedFileError: a file is missing or is not what was written, or another version of the
            package wrote it.
        UnavailableError: the processor lacks the precision.
    """
    if threads < 1:
        raise BadArgumentError(f"threads must be at least 1; got {threads}.")
    folder = Path(folder)
    if not (folder / MANIFEST).is_file():
        raise NotFoundError(f"{folder} is no packed model: it has no {MANIFEST}.")
    manifest = read_object(folder / MANIFEST)
    with refusing(f"{folder / MANIFEST} is not what was packed"):
        _check(folder, manifest)
        _check_products(folder, manifest["precision"])
        remove_damaged(folder)
        limits = Limits(**(manifest["limits"] or NO_LIMITS))
        return KINDS[manifest["kind"]](folder, limits, threads)


def _check(folder: Path, manifest: JsonObject) -> None:
    if manifest["regard"] != __version__:
        raise DamagedFileError(
            f"{folder} was packed by regard {manifest['regard']}; this is {__version__}."
            " Pack the model again."
        )
    for name, expected in manifest["files"].items():
        file = folder / name
        if not file.is_file() or sha256(file) != expected:
            raise DamagedFileError(
                f"{file} is missing or is not what was packed. Pack the model again."
            )


def _check_products(folder: Path, precision: str) -> None:
    """Multiplies the largest integers, one row and several, with this processor."""
    session = Session(folder / f"{PROBE}.onnx")
    [[_, width]] = session.shapes.values()
    for rows in (1, 4):
        [sums] = session.run({"x": np.ones((rows, int(width)), np.float32)})
        if not np.allclose(sums, width, rtol=1e-3):
            raise UnavailableError(
                f"the precision {precision} needs a processor that multiplies 8-bit integers"
                " without overflow (x86 with VNNI, or Arm); this one gives wrong products. Choose"
                " fp32."
            )
