"""The pairs of a user's files that stay after cleaning, in one file of the run's folder."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.data import Cleaner, Pair, read_pairs
from regard.files import whole_file
from regard.records import refuse
from regard.translation.files import PairFile

Say = Callable[[str], None]


@dataclass(frozen=True)
class CleanedPairs:
    """The pairs of all files, one after the other; a pair's line is that of the cleaned file."""

    path: Path
    files: Sequence[PairFile]
    ends: Sequence[int]  # the last line of each file's pairs

    @classmethod
    def write(
        cls, path: Path, files: Sequence[PairFile], *, strict: bool = False, say: Say
    ) -> "CleanedPairs":
        """Reads and cleans the files, and says what was left out of each.

        Args:
            strict: whether the first line that is not a pair is the end.

        Raises:
            DamagedFileError: no pair of a file stays.
        """
        ends: list[int] = []

        def each() -> Iterator[Pair]:
            for file in files:
                cleaner = Cleaner()
                on_bad_line = refuse if strict else cleaner.skip
                yield from cleaner.clean(read_pairs(file.path, on_bad_line=on_bad_line, say=say))
                say(f"{file.name}: {cleaner.report}")
                ends.append(cleaner.report.kept + (ends[-1] if ends else 0))

        write_rows(path, (pair[:2] for pair in each()))
        return cls(path, files, ends)

    def __len__(self) -> int:
        return self.ends[-1]

    def __iter__(self) -> Iterator[Pair]:
        with open(self.path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                source, _, target = line.rstrip("\n").partition("\t")
                yield Pair(source, target, number)

    def file(self, pair: Pair) -> int:
        """The number of the file that a pair is from."""
        return bisect_left(self.ends, pair.line)


def write_rows(path: Path, rows: Iterable[tuple[str, ...]]) -> None:
    """Rows with tabs between their cells; the file is written whole or not at all."""
    with whole_file(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        for row in rows:
            file.write("\t".join(row) + "\n")
