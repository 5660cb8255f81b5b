"""Weights by our names, and their fit to a model: names missing, unexpected, misshaped or wrongly
untied."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.checkpoints.checkpoint import Checkpoint
from regard.checkpoints.family import Family, Shape, places, their_shapes, to_ours
from regard.errors import DamagedFileError, UnsupportedError, some

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig


@dataclass
class Fit:
    """Comparison of the names in the files with those of a family; only headers are read."""

    found: dict[str, str] = field(default_factory=dict)  # name asked for → name in the files
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    misshaped: list[tuple[str, Shape, Shape]] = field(default_factory=list)  # name, wanted, got
    tied: list[tuple[str, str]] = field(default_factory=list)  # file names that must be equal

    def problems(self) -> list[str]:
        """Each missing, unexpected and misshaped name in a line of its own."""
        return [
            *(f"{name} is missing" for name in self.missing),
            *(f"{name} is unexpected" for name in self.unexpected),
            *(
                f"{name} must be {shape} according to config.json but is {got}"
                for name, shape, got in self.misshaped
            ),
        ]

    def untrue(self, read: Callable[[str], Any]) -> Iterator[str]:
        """Read the weights that must agree, and give a line for each that do not."""
        for first, second in self.tied:
            one, other = read(first), read(second)
            if one.dtype != other.dtype or not (one == other).all():
                yield f"{second} must equal {first}, to which config.json ties it, but differs"


def fit(
    family: Family, config: "ModelConfig", ours: Mapping[str, Shape], shapes: Mapping[str, Shape]
) -> Fit:
    """Compare the names and shapes in the files with those of a model's weights, which are
    `ours`."""
    expected = their_shapes(places(family.names(config, ours)), ours)
    aliases = _other_names(family, config, expected)
    spelled = {_modern(name, family): name for name in shapes}
    result = Fit()
    used: set[str] = set()
    for name, shape in expected.items():
        present = [
            spelled[spelling]
            for candidate in (name, *aliases.get(name, ()))
            for spelling in _spellings(candidate, family.base)
            if spelling in spelled
        ]
        if not present:
            result.missing.append(name)
            continue
        first, *others = dict.fromkeys(present)
        used.update(present)
        result.found[name] = first
        for file_name in (first, *others):
            if shapes[file_name] != shape:
                result.misshaped.append((file_name, shape, shapes[file_name]))
        result.tied += [(first, other) for other in others if shapes[other] == shapes[first]]
    for name in sorted(set(shapes) - used):
        if not _matches(name, family.ignored, family.base):
            result.unexpected.append(name)
    return result


def read_state(
    checkpoint: Checkpoint, ours: Mapping[str, Shape], xp: ModuleType, *, stored: bool = False
) -> dict[str, Any]:
    """Weights by our names, and what follows from the config: tensors of torch or arrays of numpy,
    as `xp` is.

    Args:
        ours: the shapes of the weights of the checkpoint's model.
        stored: leave those in the files that `Weights.stored` leaves there.

    Raises:
        DamagedFileError: weights whose names, shapes or ties are not those that config.json asks
            for.
    """
    family, config = checkpoint.family, checkpoint.config
    names = _fitted(checkpoint, ours, xp)
    read = checkpoint.weights.stored if stored else partial(checkpoint.weights.read, xp=xp)
    theirs = {name: read(in_file) for name, in_file in names.items()}
    state = to_ours(places(family.names(config, ours)), theirs)
    return state | dict(family.constants(config, xp))


def check_state(checkpoint: Checkpoint) -> None:
    """Check a Transformer's weights as `read_state` does; only those that must agree are read."""
    _fitted(checkpoint, checkpoint.config.shapes(), np)


def _fitted(checkpoint: Checkpoint, ours: Mapping[str, Shape], xp: ModuleType) -> dict[str, str]:
    """Names in the files by the names that are asked for."""
    weights = checkpoint.weights
    comparison = fit(checkpoint.family, checkpoint.config, ours, weights.shapes)
    _refuse(comparison, partial(weights.read, xp=xp), checkpoint.folder, checkpoint.settings)
    return comparison.found


def quantization(settings: Mapping[str, Any]) -> str:
    """Return the end of a sentence about weights that are quantized by config.json; else empty."""
    quantized = settings.get("quantization_config")
    if not quantized:
        return ""
    kind = quantized.get("quant_method") if isinstance(quantized, Mapping) else quantized
    return (
        f"the weights are quantized by {kind}, which is not implemented: take the model's own"
        " weights, or a GGUF file of them"
    )


def _refuse(
    comparison: Fit, read: Callable[[str], Any], folder: Path, settings: Mapping[str, Any]
) -> None:
    if comparison.missing or comparison.unexpected:
        if quantized := quantization(settings):
            raise UnsupportedError(f"{folder}/config.json says that {quantized}.")
        raise DamagedFileError(
            f"the weights in {folder} do not fit its config.json:"
            f" missing {some(comparison.missing)};"
            f" unexpected {some(comparison.unexpected)}."
        )
    if comparison.misshaped:
        name, expected, got = comparison.misshaped[0]
        more = len(comparison.misshaped) - 1
        raise DamagedFileError(
            f"{name} must be {expected} according to {folder}/config.json; the file has {got}"
            + (f", and {more} more do not fit (`regard doctor` lists them)." if more else ".")
        )
    if wrong := next(comparison.untrue(read), None):
        raise DamagedFileError(f"{wrong}, in {folder}.")


def _other_names(
    family: Family, config: "ModelConfig", expected: Mapping[str, Shape]
) -> dict[str, list[str]]:
    """Return, by name asked for, the other names that the same tied weight may have."""
    others: dict[str, list[str]] = {}
    for alias, name in family.aliases(config).items():
        assert name in expected, f"{alias} is an alias of {name}, which is not a name in the model"
        if alias not in expected:
            others.setdefault(name, []).append(alias)
    return others


def _modern(name: str, family: Family) -> str:
    for old, new in family.renamed:
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


def _spellings(name: str, base: str) -> Iterator[str]:
    """Yield the name with and without the prefix that a file may have or lack."""
    yield name
    if base:
        yield name.removeprefix(base) if name.startswith(base) else base + name


def _matches(name: str, patterns: Iterable[str], base: str) -> bool:
    return any(
        fnmatchcase(spelling, pattern)
        for pattern in patterns
        for spelling in _spellings(name, base)
    )
