"""Fit of weights to a model: names missing, unexpected, misshaped or wrongly untied."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from regard.checkpoints.family import Family, Shape, places, their_shapes


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
                f"{name} must be {wanted} according to config.json but is {got}"
                for name, wanted, got in self.misshaped
            ),
        ]

    def untrue(self, tensors: Mapping[str, Any]) -> Iterator[str]:
        """Reads the weights that must agree, and gives a line for each that do not."""
        for first, second in self.tied:
            one, other = tensors[first], tensors[second]
            if one.dtype != other.dtype or not (one == other).all():
                yield f"{second} must equal {first}, to which config.json ties it, but differs"


def fit(family: Family, config: Any, ours: Mapping[str, Shape], shapes: Mapping[str, Shape]) -> Fit:
    """Compares the names and shapes in the files with those of a model's weights, which are
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


def _other_names(
    family: Family, config: Any, expected: Mapping[str, Shape]
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
    """The name with and without the prefix that a file may have or lack."""
    yield name
    if base:
        yield name.removeprefix(base) if name.startswith(base) else base + name


def _matches(name: str, patterns: Iterable[str], base: str) -> bool:
    return any(
        fnmatchcase(spelling, pattern)
        for pattern in patterns
        for spelling in _spellings(name, base)
    )
