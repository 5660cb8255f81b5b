"""The weights in a model folder: safetensors or .bin, whole or in shards, mapped into memory."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from regard.arrays import Array, pieces
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError, first_line, refusing
from regard.files import check_content
from regard.json_files import read_object, safetensors_entries
from regard.lazy import torch

if TYPE_CHECKING:
    from numpy.typing import DTypeLike
    from torch import Tensor

Read = Callable[[ModuleType], Any]  # torch or numpy → a tensor or an array
SAFETENSORS, BIN = "model.safetensors", "pytorch_model.bin"
# What other programs keep their weights in, which is no reason to look for a missing file.
_FOREIGN = ("*.gguf", "tf_model.h5", "flax_model.msgpack", "*.onnx", "consolidated.*.pth", "*.ckpt")


@dataclass(frozen=True)
class Stored:
    """A matrix, or a stack of matrices, that is read from its file whenever it is used; an array is
    made of it by `np.asarray`.

    Attributes:
        numbers: gives it, (…, rows, columns), in float32.
        grouped: gives its integers in bytes and, behind them, the scales and the offsets of each
            group of them in float32, both (rows, groups), as the native engine takes them.
        group: columns of a group; 0: it has no integers.
        part: gives a matrix of a stack, or some rows of a matrix, by its index.
    """

    shape: tuple[int, ...]
    numbers: Callable[[], NDArray[np.float32]]
    grouped: Callable[[], NDArray[np.uint8]]
    group: int
    part: Callable[[Any], Stored] | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, index: int | tuple[slice, ...]) -> Stored:
        assert self.part is not None, "it is whole in every family that reads it"
        return self.part(index)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return self.numbers().astype(dtype or np.float32, copy=False)


@dataclass(frozen=True)
class Scaled:
    """A matrix of integers, (rows, columns) in int8, each row of which is to be multiplied by its
    number of `scales`, (rows,) in float32; an array is made of it by `np.asarray`."""

    integers: NDArray[np.int8]
    scales: NDArray[np.float32]
    ndim = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return self.integers.shape

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return (self.integers * self.scales[:, None]).astype(dtype or np.float32, copy=False)


class Weights(Mapping[str, "Tensor"]):
    """Tensors by the names in the files. A tensor is the file's memory: writing to it leaves the
    file as it is. Only the files' headers are read at once; a tensor is looked at, once, when it is
    first asked for. Without torch, `read` gives arrays.

    Raises:
        DamagedFileError: a damaged file; when a tensor is read, NaN or infinity in it, or a file
            that has been written to since it was opened.
    """

    def __init__(self, files: list[Path]):
        self.files = files
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.dtypes: dict[str, str] = {}  # "float32", "bfloat16", …
        self.file_of: dict[str, Path] = {}
        self._read: dict[str, Read] = {}
        self._looked_at: set[str] = set()
        self._opened: dict[Path, os.stat_result] = {}
        for file in files:
            self._opened[file] = file.stat()
            check_content(file)
            self._open_safetensors(file) if file.suffix == ".safetensors" else self._open_bin(file)

    def __getitem__(self, name: str) -> Tensor:
        tensor: Tensor = self.read(name, torch)
        return tensor

    def read(self, name: str, xp: ModuleType) -> Array:
        """Return a tensor of torch, or an array as `as_array` gives it, as `xp` is torch or
        numpy."""
        self.check_unchanged(self.file_of[name])
        tensor = self._read[name](xp)
        if name not in self._looked_at:
            array = tensor if xp is np else as_array(tensor)
            check_finite(name, array, f" in {self.file_of[name]}")
            self._looked_at.add(name)
        return tensor

    def check_unchanged(self, *files: Path) -> None:
        """Refuse files that have been written to since they were opened; without arguments, all.

        A file that another has taken the name of is still there for those who have opened it.
        """
        for file in files or self.files:
            with suppress(OSError):  # it has no name any more
                now, before = file.stat(), self._opened[file]
                if (now.st_dev, now.st_ino) == (before.st_dev, before.st_ino) and (
                    (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns)
                ):
                    raise DamagedFileError(
                        f"{file} has been written to since it was opened. Open the model again; to"
                        " replace a file that is in use, give another file its name."
                    )

    def stored(self, name: str) -> NDArray[Any] | Stored | Scaled:
        """Return an array, as `read` gives it, that is the file's memory; or, where the file has
        other numbers, what makes it."""
        array: NDArray[Any] = self.read(name, np)
        return array

    @property
    def packed_bytes(self) -> int | None:
        """Bytes in the native engine, in fp32, of what the files have in other numbers."""
        return None

    def __contains__(self, name: object) -> bool:
        return name in self._read  # without reading it

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)

    def _open_safetensors(self, file: Path) -> None:
        try:
            opened = _Safetensors(file)
            for name, (shape, dtype) in opened.header.items():
                self._add(name, file, shape, dtype, partial(opened.read, name))
        except SafetensorError as error:
            raise DamagedFileError(
                _in_place_of(file) or f"{file} is damaged ({error}). Copy or train the model again."
            ) from error

    def _open_bin(self, file: Path) -> None:
        for name, tensor in _load_bin(file).items():
            if not isinstance(tensor, torch.Tensor):
                raise DamagedFileError(
                    f"{file} must hold tensors by name; {name!r} is a {type(tensor).__name__}."
                    " Save the model's state_dict, or as safetensors."
                )
            dtype = str(tensor.dtype).removeprefix("torch.")
            self._add(name, file, tuple(tensor.shape), dtype, partial(_loaded, tensor))

    def _add(self, name: str, file: Path, shape: tuple[int, ...], dtype: str, read: Read) -> None:
        self.shapes[name], self.dtypes[name] = shape, dtype
        self.file_of[name], self._read[name] = file, read


class _Safetensors:
    """A file of safetensors, which is checked and mapped into memory when it is opened.

    Attributes:
        header: by name, the shape and the number format.
    """

    def __init__(self, file: Path):
        self._file = file
        opened = safe_open(file, framework="numpy")
        slices = {name: opened.get_slice(name) for name in opened.keys()}  # noqa: SIM118 - no dict
        self.header = {
            name: (tuple(piece.get_shape()), _DTYPES.get(piece.get_dtype(), "other"))
            for name, piece in slices.items()
        }
        self._bytes = np.memmap(file, np.uint8, "c")

    def read(self, name: str, xp: ModuleType) -> Array:
        """See `Weights.read`."""
        shape, dtype = self.header[name]
        if dtype == "other":
            return _loaded(safe_open(self._file, framework="pt").get_tensor(name), xp)
        numbers = np.ndarray(shape, _BITS.get(dtype, dtype), self._bytes, self._starts[name])
        numbers = float8_bits()[numbers] if dtype == FLOAT8 else numbers
        if xp is np:
            return numbers
        tensor = xp.from_numpy(numbers)
        return tensor.view(xp.bfloat16) if dtype in _BITS else tensor

    @cached_property
    def _starts(self) -> dict[str, int]:
        """First bytes of the tensors, by name."""
        with refusing(f"{self._file} has been damaged since it was opened"):
            entries, start = safetensors_entries(self._bytes.data)
            return {name: start + entry["data_offsets"][0] for name, entry in entries.items()}


def as_array(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor's memory, (…), as an array. Of bfloat16, which numpy lacks, these are the
    bits in uint16; of what else it lacks, the numbers in float32."""
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.uint16)
    elif tensor.is_floating_point() and tensor.element_size() == 1:
        tensor = tensor.float()
    return tensor.numpy()


def check_finite(name: str, numbers: NDArray[Any], where: str = "") -> None:
    """Raise DamagedFileError for NaN or infinity in a weight, (…), as `as_array` gives it.

    The bits say it: read as an integer, a number is below infinity, which is below NaN.
    """
    infinity = _INFINITIES.get(str(numbers.dtype))
    if infinity is None:
        return  # integers
    size = numbers.dtype.itemsize
    ends = (f"i{size}", infinity), (f"u{size}", infinity + 2 ** (8 * size - 1))  # +∞ and −∞
    for part in pieces(numbers.reshape(-1), _AT_ONCE):
        if part.size and any(part.view(integers).max() >= end for integers, end in ends):
            raise DamagedFileError(
                f"{name} contains NaN or infinity{where}: copy the model again, or go back to an"
                " earlier checkpoint."
            )


def open_weights(folder: Path) -> Weights:
    """Return the weights of a model folder; safetensors come before .bin, one file before
    shards."""
    return Weights(weight_files(folder))


def is_ctranslate2(folder: Path) -> bool:
    """Return True for a folder of CTranslate2's, which has its weights in its own format."""
    others = (SAFETENSORS, BIN, f"{SAFETENSORS}.index.json", f"{BIN}.index.json")
    return (folder / "model.bin").is_file() and not any(
        (folder / name).is_file() for name in others
    )


def weight_files(folder: Path) -> list[Path]:
    """Return the files that hold the weights of a model folder, present or not."""
    for name in (SAFETENSORS, BIN):
        if (folder / name).is_file():
            return [folder / name]
        index = folder / f"{name}.index.json"
        if index.is_file():
            return _shards(index)
    foreign = next((file.name for kind in _FOREIGN for file in sorted(folder.glob(kind))), None)
    if foreign and foreign.endswith(".gguf"):
        raise UnsupportedError(
            f"{folder} has no model.safetensors, only a GGUF file; give {folder / foreign} itself."
        )
    if foreign:
        raise UnsupportedError(
            f"{folder} has no model.safetensors, only {foreign}, which regard cannot read."
            " Convert it with transformers' save_pretrained."
        )
    raise NotFoundError(
        f"{folder} has no model.safetensors (nor pytorch_model.bin). Is the folder complete?"
    )


def _shards(index: Path) -> list[Path]:
    with refusing(f'{index} must have a "weight_map" of names to files'):
        names = sorted(set(read_object(index)["weight_map"].values()))
        outside = [name for name in names if Path(name).name != name]
    if outside or not names:
        raise DamagedFileError(
            f"{index} must name files in its own folder; it names"
            f" {outside[0] if outside else 'none'!r}."
        )
    missing = [name for name in names if not (index.parent / name).is_file()]
    if missing:
        raise NotFoundError(
            f"{index.parent} lacks {len(missing)} of the {len(names)} weight files that"
            f" {index.name} names: {', '.join(missing[:3])}. Copy them too."
        )
    return [index.parent / name for name in names]


def _in_place_of(file: Path) -> str:
    """Explain a weight file that a browser has put something else in the place of."""
    with file.open("rb") as opened:
        start = opened.read(40)
    if not start:
        return f"{file} is damaged: it is empty. Copy it again."
    if start.lstrip().lower().startswith((b"<!doctype", b"<html")):
        return f"{file} is a web page, not weights. Download the file itself."
    return ""


def _load_bin(file: Path) -> dict[str, Any]:
    """Return the tensors of a .bin, which is a pickle: anything in it but tensors is refused
    unread."""
    options: dict[str, Any] = {"map_location": "cpu", "weights_only": True}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Detected pickle protocol")
            try:
                content = torch.load(file, mmap=True, **options)
            except RuntimeError as error:
                if "mmap can only be used" not in str(error):
                    raise
                content = torch.load(file, **options)  # from before torch 1.6: cannot be mapped
    except Exception as error:  # a damaged pickle fails in any way
        if isinstance(error, OSError) and error.filename is not None:
            raise  # it could not be opened at all
        if reason := _in_place_of(file):
            raise DamagedFileError(reason) from error
        if not isinstance(error, pickle.UnpicklingError):
            raise DamagedFileError(
                f"{file} is damaged ({first_line(error)}). Copy it again."
            ) from error
        if "Unsupported global" not in str(error) and "GLOBAL" not in str(error):
            raise DamagedFileError(
                f"{file} is damaged, or contains more than tensors, which regard never runs. Copy"
                " it again, or use the safetensors version."
            ) from error
        raise UnsupportedError(
            f"{file} contains more than tensors, and opening it would run code; it was not"
            " opened. Use the safetensors version, or save only its state_dict."
        ) from error
    if not isinstance(content, dict):
        raise DamagedFileError(
            f"{file} must hold tensors by name; it is a {type(content).__name__}."
            " Save the model's state_dict, or as safetensors."
        )
    return content


@cache
def float8_bits() -> NDArray[np.uint16]:
    """Return the numbers of float8, by their bytes, as bits of bfloat16, which has them all.

    Four bits of exponent, three of fraction, no infinity (Micikevicius et al. 2022, table 1: E4M3).
    """
    byte = np.arange(256)
    exponent, fraction = byte >> 3 & 15, byte & 7
    size = np.where(exponent > 0, (8 + fraction) * 2.0 ** (exponent - 10), fraction * 2.0**-9)
    size[127::128] = np.nan
    number = np.where(byte < 128, size, -size).astype(np.float32)
    return (number.view(np.uint32) >> 16).astype(np.uint16)


def _loaded(tensor: Tensor, xp: ModuleType) -> Array:
    if str(tensor.dtype) == f"torch.{FLOAT8}":  # no model computes in it
        tensor = tensor.bfloat16()
    return as_array(tensor) if xp is np else tensor


_AT_ONCE = 2**18  # numbers, which stay in the second cache
_INFINITIES = {  # the bits; arrays of uint16 are those of bfloat16
    "float64": 0x7FF0 << 48,
    "float32": 0x7F80 << 16,
    "float16": 0x7C00,
    "uint16": 0x7F80,
}
FLOAT8 = "float8_e4m3fn"
_BITS = {"bfloat16": "uint16", FLOAT8: "uint8"}  # the dtype of arrays, where it is another

_DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
    "F8_E4M3": FLOAT8,
}  # fmt: skip
