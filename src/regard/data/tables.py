"""Tables that a program has in memory, written as JSON lines, which are then read as any file."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from regard.data.reader import plain
from regard.data.roles import unique
from regard.errors import BadArgumentError, RegardError
from regard.files import whole_file

FOLDER = "from-python"  # of the files that are written
_LINE = re.compile(r"\bline(s?)(?= \d| (?:is|are) left out)")

Row = Mapping[str, object] | tuple[object, ...]


@runtime_checkable
class PandasFrame(Protocol):
    """A DataFrame of pandas."""

    @property
    def columns(self) -> Iterable[object]:
        """The names of the columns."""

    def convert_dtypes(self) -> Self:
        """Return it with whole numbers that are floats beside missing values as whole numbers."""

    def itertuples(self, index: bool, name: None) -> Iterable[tuple[object, ...]]:
        """Return the rows."""


@runtime_checkable
class PolarsFrame(Protocol):
    """A DataFrame of polars."""

    def to_dicts(self) -> Iterable[Mapping[str, object]]:
        """Return the rows."""


@runtime_checkable
class ArrowTable(Protocol):
    """A table of pyarrow."""

    def to_pylist(self) -> Iterable[Mapping[str, object]]:
        """Return the rows."""


Table = PandasFrame | PolarsFrame | ArrowTable | Iterable[Row]


class Tables:
    """Writer of the tables among a call's arguments, which are then read as files are.

    Args:
        folder: gets a folder of these files.
        columns: names of the values of a row that is a tuple.
        options: may have other names for them.
    """

    def __init__(self, folder: Path, columns: Sequence[str], options: Mapping[str, object]):
        self.folder = folder
        self.columns = [str(options.get(name) or name) for name in columns]
        self.arguments: dict[str, str] = {}  # by the paths of the files
        self.about: dict[str, str] = {}  # "DataFrame of 1,000 rows", by the arguments

    def path(self, argument: str, value: object) -> str:
        """Return a path as it is, and of a table the path of the file that it is written to.

        Raises:
            BadArgumentError: it is neither, has no rows, or has rows of another kind.
        """
        if isinstance(value, str | os.PathLike):
            return os.fspath(value)
        rows = _named(_rows(value, argument), self.columns, argument)
        first = next(rows, None)
        if first is None:
            raise BadArgumentError(
                f"expected rows in `{argument}`; got {type(value).__name__} without any. Check that"
                " it is the right one, and no generator that has been read before."
            )
        path = self.folder / FOLDER / f"{argument}.jsonl"
        number = 0
        with whole_file(path) as temporary, temporary.open("w", encoding="ascii") as file:
            for number, row in enumerate(chain([first], rows), 1):  # noqa: B007, their count
                file.write(f"{json.dumps(row)}\n")
        self.arguments[str(path)] = argument
        self.about[argument] = f"{type(value).__name__} of {number:,} rows"
        return str(path)

    def said(self, sentence: str) -> str:
        """Return a sentence that names the arguments and rows in place of files and lines."""
        for path, argument in self.arguments.items():
            if path in sentence:
                sentence = _LINE.sub(r"row\1", sentence.replace(path, f"`{argument}`"))
        return sentence

    def say(self, sentence: str) -> None:
        """Print a sentence as `said` has it."""
        print(self.said(sentence))

    @contextmanager
    def named(self) -> Iterator[None]:
        """Raise errors as `said` has them."""
        try:
            yield
        except RegardError as error:
            error.args = (self.said(str(error)),)
            raise


def folder_of(path: Path) -> Path:
    """Return the folder that the paths in a table are relative to."""
    return Path() if path.parent.name == FOLDER else path.parent


def _rows(table: object, argument: str) -> Iterator[object]:
    if isinstance(table, PandasFrame):
        rows = table.convert_dtypes().itertuples(index=False, name=None)
        if all(isinstance(name, int) for name in table.columns):
            return iter(rows)  # whose columns have no names
        names = unique(f"`{argument}`", list(map(str, table.columns)))
        return (dict(zip(names, row, strict=True)) for row in rows)
    if isinstance(table, PolarsFrame):
        return iter(table.to_dicts())
    if isinstance(table, ArrowTable):
        return iter(table.to_pylist())
    if isinstance(table, Iterable) and not isinstance(table, str | bytes | Mapping):
        labels = _labels(table)
        return (_labeled(row, labels) for row in table) if labels else iter(table)
    raise BadArgumentError(
        f"`{argument}` must be a path, a DataFrame of pandas or polars, a table of pyarrow, a data"
        " set of datasets, or a list or generator of dictionaries or tuples; got"
        f" {type(table).__name__}."
    )


def _named(
    rows: Iterable[object], columns: Sequence[str], argument: str
) -> Iterator[dict[str, object]]:
    """Yield the rows with the names of their values, as JSON has them."""
    width = 0
    for number, row in enumerate(rows, 1):
        if isinstance(row, tuple) and hasattr(row, "_asdict"):
            row = row._asdict()
        if isinstance(row, Mapping):
            yield {str(name): plain(value) for name, value in row.items()}
            continue
        if not isinstance(row, tuple | list):
            raise BadArgumentError(
                f"expected dictionaries or tuples in `{argument}`; got {type(row).__name__} in row"
                f" {number:,}. Give each row as a tuple of {', '.join(columns)}."
            )
        width = width or len(row)
        if len(row) != width or not 0 < width <= len(columns):
            like = (
                ", ".join(columns) if len(row) == width else f"{width} values as in the first row"
            )
            raise BadArgumentError(
                f"expected {like} in row {number:,} of `{argument}`; got {len(row)} values. Give"
                " each row as many, or dictionaries."
            )
        yield dict(zip(columns, map(plain, row), strict=False))


def _labels(table: object) -> dict[str, list[str]]:
    """Return the names of the labels that columns of a data set of datasets have numbers of."""
    features: Any = getattr(table, "features", None) or {}
    kinds = {name: getattr(feature, "feature", feature) for name, feature in features.items()}
    return {name: kind.names for name, kind in kinds.items() if hasattr(kind, "names")}


def _labeled(row: Mapping[str, object], labels: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return a row with labels for their numbers; None for -1, which is no label."""

    def label(value: object, names: Sequence[str]) -> object:
        if isinstance(value, list):
            return [label(one, names) for one in value]
        return names[value] if isinstance(value, int) and value != -1 else None

    return {**row, **{name: label(row[name], names) for name, names in labels.items()}}
