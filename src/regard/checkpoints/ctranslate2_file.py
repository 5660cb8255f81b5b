"""CTranslate2's model.bin: settings and weights by their names, mapped into memory.

Nothing is allocated by a size that the file claims: a size is compared with the bytes that are
there. https://github.com/OpenNMT/CTranslate2/blob/master/python/ctranslate2/specs/model_spec.py
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints.weights import Scaled
from regard.errors import UnsupportedError, refusing
from regard.files import check_content

VERSIONS = range(2, 7)
_KINDS = ("float32", "int8", "int16", "int32", "float16", "bfloat16")
_BY_WIDTH = {1: "int8", 2: "int16", 4: "float32"}  # before version 4
_INT16_SCALE = 1000.0  # of files that give none


@dataclass(frozen=True)
class Variable:
    """An array in the file; its first byte is `start`."""

    shape: tuple[int, ...]
    dtype: str
    start: int


class ModelFile:
    """A model.bin, of which the headers of all variables are read.

    Attributes:
        specification: the kind of model, such as "TransformerSpec".
        variables: by their names; those that are one have the same object.
        used: names of settings that were read, and of weights that were placed.

    Raises:
        DamagedFileError: another or a damaged file.
        UnsupportedError: an unknown version of the format.
    """

    def __init__(self, file: Path):
        check_content(file)
        self.file = file
        self.variables: dict[str, Variable] = {}
        self.used: set[str] = set()
        with refusing(f"{file} is not a whole model of CTranslate2"):
            if not file.stat().st_size:
                raise ValueError("it is empty")
            self._bytes: NDArray[np.uint8] = np.memmap(file, np.uint8, "r")
            self._read()

    def __contains__(self, name: str) -> bool:
        return name in self.variables

    def shape(self, name: str) -> tuple[int, ...]:
        return self.variables[name].shape

    def is_one(self, first: str, second: str) -> bool:
        """Return True if two names have the same numbers."""
        one, other = self.variables[first], self.variables[second]
        if one is other:
            return True
        same = (one.shape, one.dtype) == (other.shape, other.dtype)
        return same and np.array_equal(self.stored(one), self.stored(other))

    def setting(self, name: str, default: object = None) -> Any:
        """Return a number that is a setting; `default` where the file lacks it."""
        if name not in self.variables:
            return default
        self.used.add(name)
        return self.stored(self.variables[name]).item()

    def stored(self, variable: Variable) -> NDArray[Any]:
        """Return the numbers as they are in the file; of bfloat16 the bits, in uint16."""
        dtype = "uint16" if variable.dtype == "bfloat16" else variable.dtype
        return np.ndarray(variable.shape, dtype, self._bytes, variable.start)

    def numbers(self, name: str, rows: slice = slice(None)) -> NDArray[Any] | Scaled:
        """Rows of a weight: in its own format or, of integers, with their scales.

        Raises:
            ValueError: integers of an unknown kind, or without the scales of their rows.
        """
        variable = self.variables[name]
        stored = self.stored(variable)[rows]
        if not variable.dtype.startswith("int"):
            return np.require(stored, requirements=["C", "A", "W"])
        scales = self._scales(name, variable)[rows]
        if variable.dtype == "int8" and stored.ndim == 2:
            return Scaled(stored, scales)
        return stored * scales.reshape(-1, *(1,) * (stored.ndim - 1))

    def _scales(self, name: str, variable: Variable) -> NDArray[np.float32]:
        """Return the numbers that the integers of each row are to be multiplied by."""
        divisors = np.full((), _INT16_SCALE, np.float32)
        if f"{name}_scale" in self.variables:
            divisors = self.stored(self.variables[f"{name}_scale"]).astype(np.float32)
        elif variable.dtype != "int16":
            raise ValueError(f"{name} has integers without scales")
        if variable.dtype == "int32":
            raise ValueError(f"{name} has integers of 32 bits")
        rows = variable.shape[0]
        if divisors.size not in (1, rows) or not (abs(divisors) > 0).all():
            raise ValueError(f"{name} has {divisors.size} scales for {rows} rows, or zeros in them")
        return np.broadcast_to(1 / divisors.reshape(-1), rows).astype(np.float32)

    def _read(self) -> None:
        place = 0

        def take(count: int) -> int:
            nonlocal place
            if count > len(self._bytes) - place:
                raise ValueError(f"it ends after {len(self._bytes):,} bytes, inside its content")
            place += count
            return place - count

        def number(kind: str = "I") -> int:
            return int(
                struct.unpack_from(f"<{kind}", self._bytes.data, take(struct.calcsize(kind)))[0]
            )

        def text() -> str:
            size = number("H")
            start = take(size)
            return self._bytes[start : start + size].tobytes().rstrip(b"\0").decode("utf-8")

        version = number()
        if version not in VERSIONS:
            raise UnsupportedError(
                f"{self.file} must be of version {VERSIONS[0]} to {VERSIONS[-1]} of CTranslate2's"
                f" format; it says {version}. Convert the model again, or open its own folder."
            )
        self.specification, self.revision = text(), number()
        for _ in range(number()):
            name = text()
            shape = tuple(number() for _ in range(number("B")))
            if version >= 4:
                dtype, size = _KINDS[number("B")], number()
            else:
                width = number("B")
                dtype, size = _BY_WIDTH[width], number() * width
            width = 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize
            if prod(shape) * width != size or size == 0:
                raise ValueError(f"{name} has {size} bytes, and is {shape} of {dtype}")
            if name in self.variables:
                raise ValueError(f"it has two variables {name}")
            self.variables[name] = Variable(shape, dtype, take(size))
        for _ in range(number() if version >= 3 else 0):
            alias, name = text(), text()
            if alias in self.variables:
                raise ValueError(f"it has two variables {alias}")
            for end in ("", "_scale"):
                if not end or name + end in self.variables:
                    self.variables[alias + end] = self.variables[name + end]
