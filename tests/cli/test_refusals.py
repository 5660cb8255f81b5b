"""Lines that cannot be answered: named, counted, and no end of the others' work."""

import pytest

from regard.cli.lines import Line
from regard.cli.refusals import NAMED, Refusals
from regard.engine.batching import read_each
from regard.errors import BadArgumentError, RegardError


def doubled(lines, progress):
    """Each text twice; of a text with an "x" an error."""

    def read(line: Line) -> str:
        if "x" in line.text:
            raise BadArgumentError(f"{line.text} is not to be doubled.")
        return 2 * line.text

    found = read_each(read, lines)
    progress(len(found))
    return found


def numbered(*texts: str, start: int = 1) -> list[Line]:
    return [Line(number, text) for number, text in enumerate(texts, start)]


def test_the_other_lines_of_a_group_are_answered(capsys):
    refusals, done = Refusals(doubled, keep_going=True), []
    found = refusals.answers(numbered("a", "x", " ", "b", "xx"), done.append)
    assert [answer for _, answer in found] == ["aa", None, None, "bb", None]
    assert [str(line.error) for line, _ in found if line.error] == [
        "line 2: x is not to be doubled.",
        "line 5: xx is not to be doubled.",
    ]
    assert sum(done) == 5
    assert capsys.readouterr().err.count("regard: line ") == 2


def test_a_blank_line_is_asked_where_it_has_an_answer():
    found = Refusals(doubled, keep_going=True, blank=True).answers(numbered("", "a"), print)
    assert [answer for _, answer in found] == ["", "aa"]


def test_a_group_of_refused_lines_alone_has_no_answers(capsys):
    found = Refusals(doubled, keep_going=True).answers(numbered("x", "xx"), print)
    assert [answer for _, answer in found] == [None, None]


def test_without_keep_going_the_first_refused_line_is_the_end():
    with pytest.raises(BadArgumentError, match="line 8: x is not to be doubled"):
        Refusals(doubled, keep_going=False).answers(numbered("a", "x", "x", start=7), print)


def test_an_error_of_no_single_line_is_the_end():
    def answer(lines, progress):
        raise BadArgumentError("no such option.")

    with pytest.raises(RegardError, match="no such option"):
        Refusals(answer, keep_going=True).answers(numbered("a"), print)


def test_many_refused_lines_are_counted_and_ten_are_named(capsys):
    refusals = Refusals(doubled, keep_going=True)
    for start in range(1, 1001, 100):
        refusals.answers(numbered(*["x", "a"] * 50, start=start), lambda done: None)
    with pytest.raises(SystemExit) as stop:
        refusals.end()
    assert stop.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == NAMED + 2
    assert said[-1].startswith("regard: 500 of 1,000 lines could not be answered")


def test_nothing_is_said_where_nothing_was_refused(capsys):
    refusals = Refusals(doubled, keep_going=True)
    refusals.answers(numbered("a"), lambda done: None)
    refusals.end()
    assert capsys.readouterr().err == ""
