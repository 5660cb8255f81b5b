"""A number outside the bounds is refused in a sentence that says them, for every option."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from regard import RegardError
from regard.options import Bounds
from regard.tasks.catalog import TRAINED

TINY = 1e-6


def bounded(task: str) -> dict[str, Any]:
    """The settings of a task's training that have bounds, by name."""
    options = TRAINED[task].training.options_class()
    return {
        name: field
        for name, field in options.settings().items()
        if field.metadata["bounds"] and name not in options.not_used()
    }


# Each option, in the last task that has it: what follows from it is the same for all.
OPTIONS = {name: task for task in TRAINED for name in bounded(task)}


def outside(bounds: Bounds) -> Iterator[float]:
    """Numbers just outside."""
    yield from (edge - 1 for edge in [bounds.min] if edge is not None)
    yield from (edge + 1 for edge in [bounds.max] if edge is not None)
    yield from (edge for edge in (bounds.above, bounds.below) if edge is not None)


def inside(bounds: Bounds) -> Iterator[float]:
    """Numbers at the edges, or just inside."""
    yield from (edge for edge in (bounds.min, bounds.max) if edge is not None)
    yield from (edge + TINY for edge in [bounds.above] if edge is not None)
    yield from (edge - TINY for edge in [bounds.below] if edge is not None)


def refusal(make: Callable[[], object]) -> str:
    try:
        make()
    except RegardError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (Bounds(min=1), "at least 1"),
        (Bounds(max=3), "at most 3"),
        (Bounds(min=0, max=1), "from 0 to 1"),
        (Bounds(above=0), "above 0"),
        (Bounds(above=0, max=1), "above 0 and at most 1"),
        (Bounds(min=0, below=1), "at least 0 and below 1"),
    ],
)
def test_bounds_are_said_as_they_are_held(bounds: Bounds, words: str) -> None:
    for number in inside(bounds):
        bounds.check("rate", number)
    for number in (*outside(bounds), math.nan):
        with pytest.raises(RegardError) as refused:
            bounds.check("rate", number)
        assert str(refused.value) == f"rate must be {words}; got {number!r}."


@pytest.mark.parametrize("value", ["3", True, None, [1]])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(RegardError, match="rate must be a number, at least 1; got "):
        Bounds(min=1).check("rate", value)


def test_a_whole_number_is_one() -> None:
    Bounds(min=1).check("steps", 2, whole=True)
    with pytest.raises(RegardError, match=r"steps must be a whole number, at least 1; got 2\.5"):
        Bounds(min=1).check("steps", 2.5, whole=True)


@pytest.mark.parametrize("task", TRAINED)
def test_every_bound_of_training_is_held_in_python(task: str) -> None:
    options = TRAINED[task].training.options_class()
    for name, field in bounded(task).items():
        bounds, whole = field.metadata["bounds"], field.type in (int, int | None)
        for number in outside(bounds):
            said = refusal(lambda: options(**{name: number}))  # noqa: B023
            assert said == f"{name} must be {bounds}; got {number!r}."
        for number in inside(bounds):
            # A number inside may still not go with the other options' defaults.
            given = int(number) if whole else number
            said = refusal(lambda: options(**{name: given}))  # noqa: B023
            assert not said.startswith(f"{name} must be {bounds};")


@pytest.mark.parametrize("task", sorted({*OPTIONS.values()}))
def test_every_bound_of_training_is_held_on_the_command_line(
    task: str, regard: Callable[..., Any]
) -> None:
    for name in (name for name in OPTIONS if OPTIONS[name] == task):
        field = bounded(task)[name]
        bounds, flag = field.metadata["bounds"], field.metadata["flag"]
        flag = flag or f"--{name.replace('_', '-')}"
        outcome = regard("train", task, "no-such-file", f"{flag}={next(outside(bounds))}")
        assert outcome.code == 2
        shown = outcome.err.strip()
        assert shown.startswith(f"regard: {flag} must be {bounds}; got "), shown
