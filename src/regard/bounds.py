"""Ranges of numbers: one object is checked by the class that has the option and shown by --help."""

from dataclasses import dataclass

from regard.errors import BadArgumentError


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
            (self.min is None or value >= self.min)
            and (self.max is None or value <= self.max)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )
