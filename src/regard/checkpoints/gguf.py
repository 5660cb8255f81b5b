"""A GGUF file, llama.cpp's format, as a checkpoint of the families here; the package gguf reads it.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import prod
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import gguf_groups as groups
from regard.checkpoints.checkpoint import Checkpoint
from regard.checkpoints.family import Family
from regard.checkpoints.gguf_architectures import (
    POOLING,
    File,
    architecture_of,
    family_of,
    settings_of,
)
from regard.checkpoints.weights import Scaled, Stored, Weights
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError, refusing, some
from regard.files import check_content, sha256
from regard.json_files import JsonFiles, JsonObject
from regard.lazy import gguf
from regard.text import TokenizerPair
from regard.text.gguf import ends_of, tokenizer_of

if TYPE_CHECKING:
    from gguf import GGMLQuantizationType, GGUFReader
    from gguf.gguf_reader import ReaderTensor
    from numpy.typing import DTypeLike

_STORED = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}  # the others are dequantized
_TABLES = ("position_embd", "token_types", "attn_rel_b")  # of which rows are added
_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf", re.IGNORECASE)


class GGUFCheckpoint(Checkpoint):
    """A GGUF file in the place of a model folder; only its metadata are read at once.

    Args:
        file: of a model; of one in several parts, the first.
        name: what to call the model in messages; the file's name by default.

    Raises:
        UnavailableError: the package gguf is not installed.
        DamagedFileError: another or a damaged file.
        NotFoundError: a part is missing.
        UnsupportedError: an architecture, a setting or a kind of number that regard lacks.
    """

    def __init__(self, file: str | os.PathLike[str], *, name: str | None = None):
        super().__init__(file, name=name)
        self._facts, tensors = _read_parts(self.folder)
        with refusing(f"{self.folder} is not a whole GGUF file"):
            architecture = str(self._facts["general.architecture"])
            prefix = f"{architecture}."
            settled = {
                name.removeprefix(prefix): fact
                for name, fact in self._facts.items()
                if name.startswith(prefix)
            }
            described = {name: item.tensor for name, item in tensors.items()}
            self._file = File(architecture, settled, self._facts, described)
            settings = settings_of(self._file)
            tensors = _changed(self._file, settings, tensors)
            ends = ends_of(self._facts, architecture_of(self._file).ends)
        content = {"config.json": settings, "generation_config.json": {"eos_token_id": ends}}
        self.files = JsonFiles(
            self.folder,
            {name: JsonObject(self.folder, settings) for name, settings in content.items()},
        )
        ties = settings["tie_word_embeddings"] and not architecture_of(self._file).is_encoder
        self._weights = _Weights(tensors, has_output=ties)

    @cached_property
    def family(self) -> Family:
        """The family of its settings, with the names that its weights have in the file."""
        return family_of(self._file, self.settings["model_type"])

    @property
    def pooling(self) -> str | None:
        """The way in which a text's vector is made, if the file says it."""
        return POOLING.get(self._file.said.get("pooling_type", -1))

    @property
    def weights(self) -> Weights:
        """The weights by their names in the file, dequantized when they are read."""
        return self._weights

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the file; of several parts, of their checksums."""
        sums = [sha256(file) for file in self._weights.files]
        return sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()

    @cached_property
    def tokenizers(self) -> TokenizerPair:
        """The file's tokenizer, on both sides."""
        with refusing(f"the tokenizer in {self.folder} is malformed"):
            tokenizer = tokenizer_of(self._facts)
        return TokenizerPair(tokenizer, tokenizer)


@dataclass(frozen=True)
class _Tensor:
    """A tensor of a file, or some of its rows, as a model has its numbers."""

    file: Path
    tensor: ReaderTensor  # the package's
    shape: tuple[int, ...]
    first: int = 0  # row
    heads: int = 0  # whose two halves take turns in the file, as llama.cpp rotates them; 0: none
    added: int = 0  # what the file's numbers have been added to

    @property
    def kind(self) -> str:
        name: str = self.tensor.tensor_type.name
        return name

    @property
    def rows(self) -> int:
        return prod(self.shape[:-1])

    def read(self, xp: ModuleType) -> Any:
        """See `Weights.read`."""
        numbers = np.require(
            self._in_halves(self._numbers()).reshape(self.shape), requirements=["C", "A", "W"]
        )
        if self.added:
            numbers = numbers.astype(np.float32) - np.float32(self.added)
        if xp is np:
            return numbers
        read = xp.from_numpy(numbers)
        return read.view(xp.bfloat16) if self.kind == "BF16" else read

    def stored(self) -> Stored:
        """Return it as what the native engine reads when it needs it."""
        group = groups.GROUPS.get(self.kind, 0)
        return Stored(
            self.shape, lambda: self.read(np), self._grouped, group, lambda index: self[index]
        )

    def __getitem__(self, index: Any) -> Stored:
        """Return a matrix of a stack, by its number, or rows of a matrix, by a slice."""
        if isinstance(index, tuple):
            start, stop, _ = index[0].indices(self.shape[0])
            shape: tuple[int, ...] = (stop - start, *self.shape[1:])
            return replace(self, first=self.first + start, shape=shape).stored()
        matrix = replace(self, shape=self.shape[1:])
        return replace(matrix, first=self.first + index * matrix.rows).stored()

    @np.errstate(invalid="ignore")  # what comes of a damaged scale is refused
    def _numbers(self) -> NDArray[Any]:
        if self.kind not in _STORED:
            numbers: NDArray[Any] = gguf.dequantize(self._bytes(), self.tensor.tensor_type)
            return numbers
        numbers = self.tensor.data
        numbers = numbers.view(np.uint16) if self.kind == "BF16" else numbers
        return numbers.reshape(-1, self.shape[-1])[self.first : self.first + self.rows]

    @np.errstate(invalid="ignore")
    def _grouped(self) -> NDArray[np.uint8]:
        """See `Stored.grouped`."""
        rows = self._in_halves(self._bytes()).reshape(self.rows, -1)
        return groups.unpacked(self.kind, rows, self.shape[-1])

    def _bytes(self) -> NDArray[np.uint8]:
        """Return the bytes of a quantized tensor, (rows, bytes of a row), read from the file:
        mapped, all that were ever read would stay in memory."""
        width = self.tensor.data.shape[-1]
        start = self.tensor.data_offset + self.first * width
        content = np.fromfile(self.file, np.uint8, self.rows * width, offset=start)
        if len(content) < self.rows * width:
            raise DamagedFileError(
                f"{self.file} has become shorter while it was read. Copy it again."
            )
        return content.reshape(self.rows, width)

    def _in_halves(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Rows whose heads have first one half and then the other."""
        if not self.heads:
            return numbers
        rows = self.shape[0]
        if rows % (2 * self.heads):
            raise DamagedFileError(
                f"{self.tensor.name} must have rows for {self.heads} heads; it has {rows}."
                " Copy the file again from where it came from."
            )
        halves = numbers.reshape(self.heads, rows // (2 * self.heads), 2, -1)
        return halves.swapaxes(1, 2)


class _Weights(Weights):
    """Tensors of a GGUF file.

    Args:
        has_output: the table of embeddings is the output projection, too.
    """

    def __init__(self, tensors: Mapping[str, _Tensor], *, has_output: bool):
        super().__init__([])
        self._has_output = has_output
        self.files = list({item.file: None for item in tensors.values()})
        self._opened = {file: file.stat() for file in self.files}
        self._stored: dict[str, Stored] = {}
        for name, item in tensors.items():
            _check_kind(name, item.tensor.tensor_type)
            dtype = _STORED.get(item.kind, item.kind.lower())
            self._add(name, item.file, item.shape, dtype, item.read)
            is_table = any(table in name for table in _TABLES)
            if len(item.shape) > 1 and item.kind not in ("F32", "BF16") and not is_table:
                self._stored[name] = item.stored()

    def stored(self, name: str) -> NDArray[Any] | Stored | Scaled:
        if name not in self._stored:
            return super().stored(name)
        self.check_unchanged()
        return self._stored[name]

    @property
    def packed_bytes(self) -> int:
        """Memory of all of them in the native engine, in fp32."""
        total, table = 0.0, "token_embd.weight"
        for name, shape in self.shapes.items():
            kind, size = self.dtypes[name].upper(), prod(shape)
            total += size * groups.packed_bytes(kind, table=name == table)
            if name == table and self._has_output:
                total += size * groups.packed_bytes(kind)
        return round(total)


def _read_parts(file: Path) -> tuple[dict[str, Any], dict[str, _Tensor]]:
    """Return the metadata and the tensors of a file, and of those that it is continued in."""
    facts, tensors = _read_file(file)
    number, count = (facts.get(f"split.{name}", 0) for name in ("no", "count"))
    if not isinstance(count, int) or count < 2:
        return facts, tensors
    match = _PART.search(file.name)
    if match is None or int(match[2]) != count:
        raise DamagedFileError(
            f"{file} is one of {count} parts of a GGUF file, whose name must end with"
            f" -{number + 1:05}-of-{count:05}.gguf. Rename it, and the others."
        )
    names = [f"{file.name[: match.start()]}-{k:05}-of-{count:05}.gguf" for k in range(1, count + 1)]
    if number:
        raise DamagedFileError(
            f"{file} is part {number + 1} of {count} of a GGUF file. Give the first, {names[0]}."
        )
    if missing := [name for name in names if not (file.parent / name).is_file()]:
        raise NotFoundError(
            f"{file.parent} lacks {len(missing)} of the {count} parts of a GGUF file:"
            f" {some(missing)}. Copy them too."
        )
    for index, name in enumerate(names[1:], 1):
        more, others = _read_file(file.parent / name)
        if (more.get("split.no"), more.get("split.count")) != (index, count):
            raise DamagedFileError(
                f"{file.parent / name} must be part {index + 1} of {count} of a GGUF file, and is"
                " another. Copy it again from where it came from."
            )
        tensors |= others
    if facts.get("split.tensors.count", len(tensors)) != len(tensors):
        raise DamagedFileError(
            f"the {count} parts of {file} must have {facts['split.tensors.count']} tensors; they"
            f" have {len(tensors)}. Copy them again from where they came from."
        )
    return facts, tensors


def _read_file(file: Path) -> tuple[dict[str, Any], dict[str, _Tensor]]:
    check_content(file)
    with refusing(f"{file} is not a whole GGUF file"):
        if not file.stat().st_size:
            raise ValueError("it is empty")
        reader = _open(file)
        facts = {name: field.contents() for name, field in reader.fields.items()}
        return facts, {
            item.name: _Tensor(file, item, tuple(item.shape.tolist()[::-1]))
            for item in reader.tensors
        }


def _changed(
    file: File, settings: Mapping[str, Any], tensors: Mapping[str, _Tensor]
) -> dict[str, _Tensor]:
    """Return the tensors with what llama.cpp's converter has changed in each."""
    heads = {}
    if architecture_of(file).interleaved:
        heads = {
            "attn_q": settings["num_attention_heads"],
            "attn_k": settings["num_key_value_heads"],
        }
    adds = file.architecture in ("gemma2", "gemma3")
    return {
        name: replace(
            item,
            heads=int(heads.get(name.split(".")[-2], 0)) if "." in name else 0,
            added=int(adds and name.endswith("norm.weight")),
        )
        for name, item in tensors.items()
    }


def _open(file: Path) -> GGUFReader:
    """Return the package's reader, which refuses what the file is too short for."""

    class Reader(gguf.GGUFReader):  # type: ignore[misc, unused-ignore]
        def _get(
            self, offset: int, dtype: DTypeLike, count: int = 1, override_order: object = None
        ) -> NDArray[Any]:
            count, start = int(count), int(offset)
            if self.byte_order != "I":
                raise ValueError("its numbers are in the other byte order")
            if start + np.dtype(dtype).itemsize * count > len(self.data):
                raise ValueError(f"it ends after {len(self.data):,} bytes, inside its content")
            return np.frombuffer(self.data, dtype, count, start)

    return Reader(file, "c")


def _check_kind(name: str, kind: GGMLQuantizationType) -> None:
    if not _is_readable(kind):
        raise UnsupportedError(
            f"{name} of the GGUF file is {kind.name}, which the package gguf cannot dequantize."
            " Take the file in another kind, such as Q8_0."
        )


@cache
def _is_readable(kind: GGMLQuantizationType) -> bool:
    try:
        gguf.dequantize(np.zeros(gguf.GGML_QUANT_SIZES[kind][1], np.uint8), kind)
    except NotImplementedError:
        return False
    return True
