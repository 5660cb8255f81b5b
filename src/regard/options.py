"""Options: fields of frozen data classes, each with its only default, its help and its bounds.

The class checks them when it is made; commands, requests and reference pages are made from them.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

from regard.errors import BadArgumentError, check_choice

T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound="Options")


@dataclass(frozen=True)
class Bounds:
    """The numbers that an option takes. Bounds that are None do not count.

    >>> str(Bounds(min=1)), str(Bounds(above=0, below=1)), str(Bounds(min=0, max=180))
    ('at least 1', 'above 0 and below 1', 'from 0 to 180')
    """

    min: float | None = None
    max: float | None = None
    above: float | None = None
    below: float | None = None

    def __str__(self) -> str:
        if self.min is not None and self.max is not None:
            return f"from {self.min} to {self.max}"
        words = {
            "at least": self.min, "above": self.above, "at most": self.max, "below": self.below,
        }  # fmt: skip
        return " and ".join(f"{word} {bound}" for word, bound in words.items() if bound is not None)

    def __bool__(self) -> bool:
        return self != Bounds()

    def check(self, name: str, value: object, *, whole: bool = False) -> None:
        """Compare a value with the bounds.

        Args:
            name: of the option, for the message.
            whole: whether the value must be an int.

        Raises:
            BadArgumentError: it is outside, or not a number.
        """
        if not isinstance(value, int if whole else int | float) or isinstance(value, bool):
            kind = "a whole number" if whole else "a number"
            raise BadArgumentError(f"{name} must be {kind}, {self}; got {value!r}.")
        if not self._has(value):
            raise BadArgumentError(f"{name} must be {self}; got {value!r}.")

    def _has(self, value: float) -> bool:
        return (
            abs(value) < math.inf
            and (self.min is None or value >= self.min)
            and (self.max is None or value <= self.max)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


def option(
    default: T,
    help: str,
    *,
    shown: str | None = None,
    flag: str | None = None,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    panel: str | None = None,
    free: bool = False,
    **bounds: float,
) -> T:
    """Return a field of a class of options.

    Args:
        default: None leaves the choice to the model or the recipe.
        shown: what --help shows for a default that is computed: "split off".
        flag: on the command line, where it differs from the field's name.
        metavar: what --help shows for its value, if that is not one of `choices`.
        choices: the only values that it may have.
        panel: the part of --help that lists it.
        free: a resumed run may change it: no step's result depends on it.
        bounds: of `Bounds`: min, max, above, below.
    """
    metadata = {
        "help": help,
        "shown": shown,
        "flag": flag,
        "metavar": metavar or "|".join(choices) or None,
        "choices": choices,
        "panel": panel,
        "free": free,
        "bounds": Bounds(**bounds),
    }
    return field(default=default, metadata=metadata)


_WHOLE = (int, int | None, "int", "int | None")


@dataclass_transform(frozen_default=True)
class Options:
    """The base of classes of options: each is a frozen data class without the decorator, its fields
    made by `option`.

    Raises:
        BadArgumentError: a value out of range.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        """Check a value here, where the value enters, and not again where it is used."""
        check_options(self)
        self.check()

    def check(self) -> None:
        """Check what no bound of a single option says.

        Raises:
            BadArgumentError: options that contradict each other.
        """

    def __repr__(self) -> str:
        """Return the options that differ from their defaults.

        Written once, here: dataclass would compile one for each class at every start of a command.
        """
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, setting in self.settings().items()
            if getattr(self, name) != setting.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def values(self, *names: str) -> dict[str, Any]:
        """Return these options by name."""
        return {name: getattr(self, name) for name in names}

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return these options by name, but for those that are None."""
        return {name: value for name, value in self.values(*names).items() if value is not None}

    def passed(self) -> dict[str, Any]:
        """Return the options that a task is called with: those with a value, and those that differ
        from their defaults."""
        return {
            name: value
            for name, setting in self.settings().items()
            if (value := getattr(self, name)) != setting.default
            or setting.default not in (None, False)
        }

    @classmethod
    def settings(cls) -> dict[str, "Field[Any]"]:
        """Return the options by name."""
        return {each.name: each for each in fields(cls)}  # type: ignore[arg-type]


def with_options(
    base: type[OptionsT], more: Sequence[tuple[str, Any, Any]], **others: object
) -> type[OptionsT]:
    """Return the class of options with more of them, (name, type, option), and other attributes."""
    names = {name: setting for name, _, setting in more}
    hints = {name: hint for name, hint, _ in more}
    members = {"__module__": base.__module__, **names, **others, "__annotations__": hints}
    made: Any = type(base.__name__, (base,), members)
    return made


def check_options(options: Any) -> None:
    """Compare the fields of a data class with their bounds and choices; None passes where the type
    of the field has it.

    Raises:
        BadArgumentError: a value out of range, or an unknown name.
    """
    for setting in fields(options):
        value, bounds = getattr(options, setting.name), setting.metadata.get("bounds")
        if value is None and "None" in str(setting.type):
            continue
        if bounds:
            bounds.check(setting.name, value, whole=setting.type in _WHOLE)
        elif choices := setting.metadata.get("choices"):
            check_choice(setting.name, value, choices)


def panel_of(kind: Any, panel: str) -> Iterator[str]:
    """Return the options of a data class that a panel lists."""
    return (each.name for each in fields(kind) if each.metadata.get("panel") == panel)
