"""The columns of one file that a task reads, by their names or as the first rows look."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

from regard.data.annotated import set_aside
from regard.data.evidence import lacks_a_name, may_be_header
from regard.data.lines import BadLine, Say
from regard.data.roles import Places, Role, columns_of, fields_of, inner, unique
from regard.data.unread import doubtful, is_about
from regard.errors import BadArgumentError

# A line's number from 1 (of CSV the last of its row, of Parquet the row) and what stands there: the
# text of a text file, the cells of a table, an object of names and values, or what is wrong with
# it; None for an empty line.
Record = tuple[int, str | list[str] | Mapping[str, Any] | BadLine | None]

_SAMPLE = 200  # rows that are looked at


def quiet(sentence: str) -> None:
    """Say nothing."""


class Columns:
    """Reduce the records of one file to the columns of some roles, which the first records tell.

    Args:
        exact: whether every row must be as wide as the first, for a comma may be unquoted.
        say: called with a sentence where the cells tell, and not the names.
        note: called with a sentence on what is read where the names tell.
    """

    header: list[str] | None = None  # the names of a table's columns, if its first row has them
    _places: Sequence[Any] | None = None
    _width = 0
    _take: Callable[[list[str]], tuple[Any, ...]]  # the roles' cells of a row

    def __init__(
        self,
        name: str,
        roles: Sequence[Role],
        *,
        exact: bool = False,
        say: Say = quiet,
        note: Say = quiet,
    ):
        self.name, self.roles, self.say, self.note = name, roles, say, note
        self._exact = exact or not all(role.language for role in roles)
        self._constant: dict[Any, tuple[str, str]] = {}  # names and values, by places
        self._texts = [k for k, role in enumerate(roles) if role.text]

    def rows(self, group: Sequence[Record]) -> Iterator[tuple[int, tuple[Any, ...] | BadLine]]:
        """Yield a value for each role, or what is wrong, of the records but empty lines and a
        header.

        Raises:
            BadArgumentError: a column that is missing or cannot be identified.
        """
        self.begin(group)
        exact = self._exact
        for line, record in group:
            if self._constant and isinstance(record, list | Mapping) and record is not self.header:
                self._watch(line, record)
            if isinstance(record, list):
                if record is self.header:
                    continue
                count = len(record)
                if count < self._width or (exact and count > self._width):
                    yield line, self._wrong_width(line, count)
                else:
                    yield line, self._take(record)
            elif isinstance(record, str):
                yield line, (record,)
            elif isinstance(record, BadLine):
                yield line, record
            elif record is not None:
                yield line, self._of_object(line, inner(record))

    @property
    def names(self) -> list[Any]:
        """The names of the fields that are read of objects."""
        return [place for place in self._places or () if place is not None]

    def begin(self, group: Sequence[Record]) -> None:
        """Find the places of the roles by the first records, if there are any."""
        rows = [record for _, record in group if isinstance(record, list)]
        objects = [inner(one) for _, one in group if isinstance(one, Mapping)]
        if self._places is not None or not (rows or objects):
            return
        if rows:
            if lacks_a_name(rows[0], rows[1:_SAMPLE]):
                rows[0].insert(0, "")
            places, names = columns_of(self.name, rows[:_SAMPLE], self.roles), rows[0]
            if places.header:
                names[:] = unique(self.name, names)
            self._of_table(places, rows[0])
            titles = {k: name if places.header else str(k + 1) for k, name in enumerate(names)}
            self._refuse_unread(places, titles, rows[1:] if places.header else rows)
        else:
            places = fields_of(self.name, objects[:_SAMPLE], self.roles)
            names = list(dict.fromkeys(name for one in objects for name in one))
            self._refuse_unread(places, {name: name for name in names}, objects)
        self._places = places.of
        self._report(places, names, rows[:_SAMPLE])

    def _report(self, places: Places, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        said = f"{self.name}: {places.said(self.roles, names)}"
        if places.guessed:
            options = " and ".join(f"`{role.option}`" for role in self.roles if role.required)
            header = ", and the first row has the names of columns" if places.header else ""
            free = any(role.language for role in self.roles)  # whose columns no option names
            more = "" if free else f". Names or numbers as {options} say else."
            self.say(f"{said}, as the cells look{header}{more}")
        else:
            self.note(said)
        labels = [k for k, role in zip(places.of, self.roles, strict=True) if role.label]
        label = next((place for place in labels if isinstance(place, int)), None)
        if rows and not places.header and may_be_header(rows[0], rows[1:], label):
            options = " and ".join(f"`{role.option}`" for role in self.roles if role.required)
            self.say(
                f"{self.name}: the first row, {', '.join(rows[0])}, is taken for an example; if it"
                f" has the names of columns, give these as {options}"
            )

    def _refuse_unread(
        self,
        places: Places,
        names: Mapping[Any, str],
        rows: Sequence[Sequence[Any]] | Sequence[Mapping[str, Any]],
    ) -> None:
        """Refuse a column that is not read, where one might say no to what is read, unless the
        columns that are read were named.

        Args:
            names: by the columns' places, which are numbers in rows, and names in objects.

        Raises:
            BadArgumentError: there is such a column.
        """
        flags = [place for role, place in zip(self.roles, places.of, strict=True) if role.flag]
        required = [role for role in self.roles if role.required]
        chosen = all(role.column is not None for role in required)
        if chosen or not flags or any(place is not None for place in flags):
            return
        for place, name in names.items():
            values = [_value_at(row, place) for row in rows]
            if place in places.of or is_about(name):
                continue
            if what := doubtful(name, values):
                raise self._unread(name, what)
            if len({*map(str, values)}) == 1:
                self._constant[place] = (name, str(values[0]))

    def _watch(self, line: int, record: list[str] | Mapping[str, Any]) -> None:
        """Refuse a column that is not read, of one value in the first rows, for another value."""
        row = inner(record) if isinstance(record, Mapping) else record
        for place, (name, before) in list(self._constant.items()):
            value = _value_at(row, place)
            if str(value) != before:
                del self._constant[place]
                if what := doubtful(name, [before, before, value]):
                    raise self._unread(name, f"{what}, the second from line {line:,} on")

    def _unread(self, name: str, what: str) -> BadArgumentError:
        answer = next(role.option for role in self.roles if role.flag)
        texts = " and ".join(f"`{role.option}`" for role in self.roles if role.required)
        return BadArgumentError(
            f"{self.name} has a column {name!r} that is not read, of {what}: it may say which texts"
            f" do not belong together. If yes or higher means more alike, name it with `{answer}`;"
            f" if it means less alike, reverse it first; if it says nothing of that, name"
            f" {texts}."
        )

    def _of_object(self, line: int, record: Mapping[str, Any]) -> tuple[Any, ...] | BadLine:
        assert self._places is not None
        if reason := set_aside(record, self._places):
            return BadLine(self.name, line, "set aside", reason)
        values = tuple([_value(record, place) for place in self._places])
        for k in self._texts:
            if not isinstance(values[k], str | None):
                role, kind = self.roles[k], type(values[k]).__name__
                problem = f"expected a text in {self._places[k]!r}; got {kind}."
                problem += f" Name the column of the {role.name} with `{role.option}`."
                return BadLine(self.name, line, "wrong cell", problem)
        return values

    def _of_table(self, places: Places, first: list[str]) -> None:
        listed = [
            k for place in places.of for k in (place if isinstance(place, tuple) else [place])
        ]
        needed = 1 + max((place for place in listed if place is not None), default=0)
        self._width = max(needed, len(first)) if self._exact else needed
        self.header = first if places.header else None
        if len(places.of) > 1 and all(isinstance(place, int) for place in places.of):
            self._take = cast(
                Callable[[list[str]], tuple[Any, ...]], itemgetter(*cast(Any, places.of))
            )
        else:
            self._take = lambda cells: tuple([_cell(cells, first, place) for place in places.of])

    def _wrong_width(self, line: int, count: int) -> BadLine:
        reason = "wrong columns"
        if self._exact:
            problem = f"expected {self._width} columns like the first row; got {count}"
        elif count == 1:
            problem = "expected a sentence, a tab and its translation, but there is no tab"
            reason = "no tab"
        else:
            problem = f"expected at least {self._width} columns between tabs; got {count}"
        return BadLine(self.name, line, reason, problem)


def _value_at(row: Sequence[Any] | Mapping[Any, Any], place: Any) -> object:
    """Return the value at a place of a row, or under a name of an object, that may lack it."""
    if isinstance(row, Mapping):
        return row.get(place)
    return row[place] if place < len(row) else None


def _several(place: object) -> tuple[int, ...]:
    """Return the columns of a role."""
    return place if isinstance(place, tuple) else () if place is None else (place,)


def _value(record: Mapping[str, Any], place: str | tuple[str, ...] | None) -> object:
    """Return the value of a field; of several, each by its name."""
    if isinstance(place, tuple):
        return {name: record.get(name) for name in place}
    return None if place is None else record.get(place)


def _cell(
    cells: Sequence[str], names: Sequence[str], place: int | tuple[int, ...] | None
) -> str | dict[str, str] | None:
    if isinstance(place, tuple):
        return {names[k].strip(): cells[k] for k in place}
    return None if place is None else cells[place]
