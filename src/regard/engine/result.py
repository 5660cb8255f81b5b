"""Results: frozen data classes whose fields are the JSON at every door.

A table's columns and a server's schema are derived from the same fields.
"""

from collections.abc import Collection
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Self, get_type_hints

from regard.lines import one_line

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Float32 = Annotated[float, "float32"]


def inside(default: object = MISSING, **more: Any) -> Any:
    """Return a field for Python alone."""
    return field(default=default, metadata={"inside": True}, **more)


def asked(option: str = "") -> list[Any]:
    """Return a field with a list that is in the JSON where an option was given.

    Args:
        option: its name, if it is not the field's.
    """
    return field(default_factory=list, metadata={"asked": option or True})


def array(kind: object, *, default: object = MISSING) -> Any:
    """Return a field with an array, which JSON has as this kind of list."""
    return field(default=default, metadata={"json": kind})


class Result:
    """The answer to one input; its first field is the answer itself."""

    def line(self) -> str:
        """Return the plain form, in one line."""
        raise TypeError(f"{type(self).__name__} has no plain form")

    def lines(self) -> list[str]:
        """Return the plain form of every alternative, label or answer, best first."""
        return [self.line()]

    def changed(self, **values: object) -> Self:
        """Return the result with other values of some fields, which are not checked."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), **values)
        return other

    def json(self, chosen: Collection[str] = ()) -> dict[str, Any]:
        """Return the fields, without parts that were not asked for.

        Args:
            chosen: the names of the options that were given, such as "alternatives".
        """
        found = {}
        for name, option, may_be_none in _json_fields(type(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if (option is None or option in chosen) and not (value is None and may_be_none):
                found[name] = _json(value, [other for other in chosen if other != name])
        return found

    @classmethod
    def names(cls, chosen: Collection[str] = ()) -> list[str]:
        """Return the names of the fields of `json`, those that may be missing included."""
        return [
            name
            for name, option, _ in _json_fields(cls)  # type: ignore[arg-type]
            if option is None or option in chosen
        ]

    @classmethod
    def nothing(cls) -> dict[str, Any]:
        """Return the JSON of an input that has no answer."""
        name, kind = next(iter(shape(cls).items()))  # type: ignore[arg-type]
        return {name: "" if kind is str else [] if kind != list[Float32] else None}


class Written(Result):
    """A text that a model wrote, the first of the fields; `alternatives` has the n best."""

    score: float  # log-probability divided by length^length_penalty: the beam's ranking
    finished: bool  # False where a limit cut it off
    alternatives: Any
    ids: list[int]  # as generated, the end included

    @property
    def text(self) -> str:
        """The text."""
        text: str = next(iter(vars(self).values()))
        return text

    def line(self) -> str:
        return one_line(self.text)

    def lines(self) -> list[str]:
        return [f"{each.score:.4f}\t{each.line()}" for each in self.alternatives]


@cache
def _json_fields(kind: "type[DataclassInstance]") -> list[tuple[str, str | None, bool]]:
    """Return the fields of the JSON, each with the option that asks for it, and whether None is
    left out."""
    return [
        (each.name, each.name if option is True else option, each.default is None)
        for each in fields(kind)
        for option in [each.metadata.get("asked")]
        if not each.metadata.get("inside")
    ]


@cache
def shape(kind: "type[DataclassInstance]") -> dict[str, Any]:
    """Return the names of a result's JSON, and the type of each: a list, a number, a result, …

    A part that may be missing is `type | None`. The alternatives have no alternatives of their own.
    """
    hints = get_type_hints(kind, include_extras=True)
    kinds = {
        each.name: each.metadata.get("json", hints[each.name])
        for each in fields(kind)
        if not each.metadata.get("inside")
    }
    return {
        each.name: kinds[each.name] | None if each.metadata.get("asked") else kinds[each.name]
        for each in fields(kind)
        if each.name in kinds
    }


def _json(value: object, chosen: Collection[str]) -> object:
    if isinstance(value, Result):
        return value.json(chosen)
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, list):
        return [_json(each, chosen) for each in value]
    return _numbers(value.tolist()) if hasattr(value, "tolist") else value


def _numbers(values: object) -> object:
    """Return numbers of an array; nine digits are all of a float32."""
    return (
        [_numbers(each) for each in values] if isinstance(values, list) else float(f"{values:.9g}")
    )
