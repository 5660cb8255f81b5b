"""Lines that cannot be answered: they are named, and do not end the work on the others."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from regard.cli.lines import Line
from regard.cli.streams import say
from regard.engine import batching
from regard.errors import OtherLanguageError, RegardError
from regard.tasks import translation

T = TypeVar("T")

NAMED = 10  # refused lines, each with its reason; of a file in another encoding every line is one

Answer = Callable[[list[Line], Callable[[int], None]], Sequence[T]]


class Refusals(Generic[T]):
    """Answers groups of lines, and counts those that are refused.

    Args:
        answer: the answers to some lines; also gets a function, to be called with the number of
            lines just answered.
        keep_going: whether the other lines are answered where one is refused.
        named: whether the refused lines are said here.
        blank: whether blank lines are asked, too.
    """

    def __init__(
        self, answer: Answer[T], *, keep_going: bool, blank: bool = False, named: bool = True
    ):
        self.answer, self.keep_going, self.blank, self.named = answer, keep_going, blank, named
        self.refused = self.total = 0

    def answers(
        self, group: Sequence[Line], progress: Callable[[int], None]
    ) -> list[tuple[Line, T | None]]:
        """Each line with its answer; None for a blank line, and for one with an `error`.

        Raises:
            RegardError: a line is refused, and `keep_going` is False; the message has its number.
        """
        lines = list(group)
        places_asked = [k for k, line in enumerate(lines) if self._is_asked(line)]
        progress(len(lines) - len(places_asked))

        def refuse(place: int, error: RegardError) -> None:
            k = places_asked[place]
            reason = str(error)
            if isinstance(error, OtherLanguageError):
                reason = error.forced_by("--force")
            refusal = type(error)(f"line {lines[k].number}: {reason}")
            if not self.keep_going:
                raise refusal from error
            lines[k] = replace(lines[k], error=refusal, reason=reason)
            progress(1)

        answers = batching.answer_each(
            lambda places: self.answer([lines[places_asked[place]] for place in places], progress),
            range(len(places_asked)),
            refuse,
        )
        answered = {places_asked[place]: answer for place, answer in answers.items()}
        self.total += len(lines)
        for line in lines if self.named else ():
            if line.error is not None:
                self._say(line.error)
        return [(line, answered.get(k)) for k, line in enumerate(lines)]

    def end(self) -> None:
        """To be called when everything is written: the exit code is 2 if lines were refused."""
        if self.refused > 1:
            say(
                f"{self.refused:,} of {self.total:,} lines could not be answered; their answers are"
                " empty, the others are complete."
            )
        if self.refused:
            sys.exit(2)

    def _is_asked(self, line: Line) -> bool:
        return line.error is None and (self.blank or bool(line.text.strip()))

    def _say(self, error: RegardError) -> None:
        self.refused += 1
        if self.refused <= NAMED:
            say(str(error))
        elif self.refused == NAMED + 1:
            say("more lines are refused, which are not named.")


def say_doubts(name: str, doubted: Sequence[str], count: int, total: int) -> None:
    """Say which texts seem to be in another language than the model's."""
    say(translation.task.doubt_said(name, doubted, count, total, "--strict-language"))
