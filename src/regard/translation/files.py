"""The files of sentence pairs that a translator learns from, and how often each is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.data.lines import check_rereadable
from regard.errors import BadArgumentError

# A file of pairs, a source file and a target file, or several files of pairs.
Pairs = str | tuple[str, str] | list[str]


@dataclass(frozen=True)
class PairFile:
    """A file of sentence pairs, or a source file and a target file."""

    path: str | tuple[str, str]
    weight: float = 1.0  # how often each of its pairs is read in an epoch, on average

    @property
    def paths(self) -> list[str]:
        return [self.path] if isinstance(self.path, str) else list(self.path)

    @property
    def name(self) -> str:
        return " + ".join(self.paths)

    def check(self) -> None:
        """Raises NotFoundError for a file that is missing."""
        for path in self.paths:
            check_rereadable(Path(path))


def pair_files(pairs: Pairs, weights: str = "") -> list[PairFile]:
    """The files that were given, each with its weight.

    Args:
        weights: a number for each file, "3,1"; "": every file is read once in an epoch.

    Raises:
        BadArgumentError: weights that are not a number above 0 for each file.
    """
    paths: Sequence[str | tuple[str, str]] = pairs if isinstance(pairs, list) else [pairs]
    return [
        PairFile(path, weight)
        for path, weight in zip(paths, _numbers(weights, len(paths)), strict=True)
    ]


def _numbers(weights: str, count: int) -> list[float]:
    if not weights:
        return [1.0] * count
    try:
        found = [float(part) for part in weights.split(",")]
    except ValueError:
        found = []
    if len(found) != count or not all(0 < weight < float("inf") for weight in found):
        raise BadArgumentError(
            f"weights must be a number above 0 for each of the {count} files of pairs, such as"
            f" {','.join('321'[:count]) if count < 4 else '3,1,…'}; got {weights!r}."
        )
    return found
