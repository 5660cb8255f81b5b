"""Packed models, opened: arrays in, arrays out. Neither torch nor onnx is needed.

A packed model is a folder: pack.json, the graphs and the file of their weights.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnavailableError
from regard.files import sha256
from regard.json_files import JsonObject, read_object
from regard.runtime.parts import Parts, at_once
from regard.runtime.session import Array, Session
from regard.runtime.states import DecodingState, TextState, check_length
from regard.version import __version__

MANIFEST = "pack.json"
PROBE = "probe"  # the graph that `linear.probe` makes
FEWEST = 4  # texts that a thread decodes: a step of fewer takes hardly less time


@dataclass(frozen=True)
class Limits:
    """What a model can read."""

    vocab_size: int
    max_positions: int | None  # None: no limit
    pad_id: int | None

    def check(self, ids: NDArray[np.int64]) -> None:
        """Raises BadArgumentError for ids (batch, length) that the model cannot read."""
        low, high = (int(ids.min()), int(ids.max())) if ids.size else (0, 0)
        if low < 0 or high >= self.vocab_size:
            raise BadArgumentError(
                f"token ids must be from 0 to {self.vocab_size - 1};"
                f" got {high if low >= 0 else low}. Does the tokenizer belong to this model?"
            )
        check_length(ids.shape[1], self.max_positions)

    def mask(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Where ids (batch, length) are not padding."""
        return np.ones(ids.shape, bool) if self.pad_id is None else ids != self.pad_id


class PackedEncoder:
    """An encoder with its head."""

    def __init__(self, folder: Path, limits: Limits, threads: int):
        self.limits = limits
        self._session = Session(folder / "encoder.onnx", threads=threads)

    def __call__(
        self,
        ids: NDArray[np.int64],
        *,
        token_type_ids: NDArray[np.int64] | None = None,
        attention_mask: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        """The head's output; the arguments are those of `models.Encoder`, as arrays."""
        self.limits.check(ids)
        mask = self.limits.mask(ids) if attention_mask is None else attention_mask
        inputs: dict[str, Array] = {"ids": ids, "mask": mask.astype(np.int32)}
        if "token_type_ids" in self._session.shapes:
            inputs["token_type_ids"] = (
                np.zeros_like(ids) if token_type_ids is None else token_type_ids
            )
        elif token_type_ids is not None:
            raise BadArgumentError("this model has no token types; got token_type_ids.")
        return self._session.run(inputs)[0]


class PackedEncoderDecoder:
    """An encoder–decoder that writes. Several threads share a batch's rows."""

    def __init__(self, folder: Path, limits: Limits, threads: int):
        self.limits = limits
        self._encoder = Session(folder / "encoder.onnx")
        self._step = Session(folder / "step.onnx")
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads)

    def encode(self, source: NDArray[np.int64]) -> NDArray[np.float32]:
        """Source ids, (batch, source length) → the encoder's states, (batch, source length,
        d_model)."""
        self.limits.check(source)
        mask = self.limits.mask(source).astype(np.int32)
        return self._encoder.run({"ids": source, "mask": mask}, ["states"])[0]

    def start(self, source: NDArray[np.int64]) -> DecodingState | Parts:
        """Encodes source ids, (batch, source length), for generation to decode step by step."""
        self.limits.check(source)
        number = min(self._threads, max(len(source) // FEWEST, 1))
        if number == 1:
            return self._state(source)
        parts = np.array_split(source, number)
        states = at_once(self._pool, self._state, parts)
        return Parts(states, [len(each) for each in parts], self._pool)

    def _state(self, source: NDArray[np.int64]) -> DecodingState:
        mask = self.limits.mask(source).astype(np.int32)
        length = source.shape[1] - int(mask.max(0)[::-1].argmax())  # without what all have padded
        source, mask = source[:, :length], mask[:, :length]
        return DecodingState(self._encoder, self._step, source, mask, self.limits.max_positions)


class PackedDecoder:
    """A language model that writes."""

    def __init__(self, folder: Path, limits: Limits, threads: int):
        self.limits = limits
        self._step = Session(folder / "step.onnx", threads=threads)

    def start(self, attention_mask: NDArray[np.bool_] | None = None) -> TextState:
        """The state from which generation reads a prompt; see `TextState`."""
        assert self.limits.max_positions is not None  # the tables of positions have their length
        return TextState(self._step, self.limits.max_positions, attention_mask)


Packed = PackedEncoder | PackedEncoderDecoder | PackedDecoder
KINDS: dict[str, type[Packed]] = {
    "Encoder": PackedEncoder,
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
        UnavailableError: the package onnxruntime is not installed, or the processor lacks the
            precision.
    """
    if threads < 1:
        raise BadArgumentError(f"threads must be at least 1; got {threads}.")
    folder = Path(folder)
    if not (folder / MANIFEST).is_file():
        raise NotFoundError(f"{folder} is no packed model: it has no {MANIFEST}.")
    manifest = read_object(folder / MANIFEST)
    _check(folder, manifest)
    _check_products(folder, manifest["precision"])
    limits = manifest["limits"]
    return KINDS[manifest["kind"]](folder, Limits(**limits), threads)


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
