import io
import re

import numpy as np
import pytest
from rich.cells import cell_len

from fixtures.covering import parametrize
from regard.errors import RegardError
from regard.figures.color import takes_color
from regard.figures.terminal import alignment_grid, fitted

SOURCE = ["Where", "is", "the", "station", "?"]
TARGET = ["Wo", "ist", "der", "Bahnhof", "?"]
CAPTION = "α, mean over heads of decoder layer 3, at the input step"
WEIGHTS = np.array(
    [
        [0.76, 0.05, 0.10, 0.06, 0.03],
        [0.00, 1.00, 0.00, 0.00, 0.00],
        [0.03, 0.06, 0.83, 0.05, 0.03],
        [0.01, 0.01, 0.01, 0.93, 0.04],
        [0.01, 0.04, 0.01, 0.01, 0.93],
    ]
)
LONG = [
    "Mehrere",
    "Bauarbeiter",
    "mit",
    "orangefarbenen",
    "Westen",
    "und",
    "Helmen",
    "sehen",
    "ihnen",
    "dabei",
    "zu",
    ".",
]


def without_escapes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def spread(rows: int, columns: int) -> np.ndarray:
    scores = np.random.default_rng(rows * columns).exponential(size=(rows, columns))
    return scores / scores.sum(axis=1, keepdims=True)


def test_plain_grid_to_the_letter() -> None:
    grid = alignment_grid(SOURCE, TARGET, WEIGHTS, caption=CAPTION, width=80, color=False)
    assert grid.splitlines() == [
        "  Where          station",
        "  |    is   the  |    ?",
        " [76]   5   10    6    3  Wo",
        "   . [100]   .    .    .  ist",
        "   3    6  [83]   5    3  der",
        "   1    1    1  [93]   4  Bahnhof",
        "   1    4    1    1  [93] ?",
        "",
        f"{CAPTION} (per cent)",
    ]


def test_color_only_adds_to_what_is_read() -> None:
    grid = alignment_grid(SOURCE, TARGET, WEIGHTS, caption=CAPTION, width=90, color=True)
    lines = without_escapes(grid).splitlines()
    assert lines[0] == " Where       station"
    assert lines[1] == " │   is  the │   ?"
    assert lines[2] == " 76   5  10   6   3  Wo"
    assert lines[3] == "  · 100   ·   ·   ·  ist"
    assert lines[-1] == f"{CAPTION}  %  10  20  35  50  70 "


def test_a_larger_weight_has_a_stronger_color() -> None:
    weights = np.array([[0.05, 0.12, 0.25, 0.4, 0.55, 0.9]])
    grid = alignment_grid(list("abcdef"), ["x"], weights, caption="α", width=80, color=True)
    [row] = [line for line in grid.splitlines() if line.endswith(" x")]
    assert re.findall(r"48;5;(\d+)", row) == ["60", "97", "133", "168", "208"]


@parametrize("color, width, columns", [True, False], [24, 37, 53, 80, 131], [1, 5, 12, 31])
def test_every_line_of_the_grid_fits_the_terminal(color: bool, width: int, columns: int) -> None:
    source = (LONG * 3)[:columns]
    weights = spread(len(TARGET), columns)
    grid = alignment_grid(source, TARGET, weights, caption="α", width=width, color=color)
    assert max(cell_len(line) for line in without_escapes(grid).splitlines()) <= max(width, 24)


@pytest.mark.parametrize("width", [80, 50, 36, 30])
def test_no_cell_and_no_word_is_left_out(width: int) -> None:
    weights = spread(3, len(LONG))
    grid = alignment_grid(LONG, ["x", "y", "z"], weights, caption="α", width=width, color=True)
    for word in LONG:
        assert word[: width // 3 - 1] in grid
    for name in "xyz":
        lines = [line for line in without_escapes(grid).splitlines() if line.endswith(f" {name}")]
        numbers = [part for line in lines for part in line.split()[:-1]]
        # Two-cell columns hold a color and no number; there is one such cell for each word.
        assert len(numbers) == len(LONG) or len(lines[0]) == 2 * len(LONG) + 2


@pytest.mark.parametrize("color", [True, False])
def test_each_leader_ends_above_the_number_of_its_column(color: bool) -> None:
    weights = spread(1, len(LONG))
    grid = alignment_grid(LONG, ["x"], weights, caption="α", width=120, color=color)
    lines = without_escapes(grid).splitlines()
    cell = 4 if color else 5
    first = {name: min(line.index(name) for line in lines[:-3] if name in line) for name in LONG}
    assert [first[name] for name in LONG] == [
        column * cell + (cell - 1) // 2 for column in range(len(LONG))
    ]
    for column, name in enumerate(LONG):
        above = next(number for number, line in enumerate(lines) if name in line)
        row = next(number for number, line in enumerate(lines) if line.endswith(" x"))
        for line in lines[above + 1 : row]:
            assert line[column * cell + (cell - 1) // 2] == ("│" if color else "|")


def test_too_narrow_for_numbers_still_shows_shades() -> None:
    weights = np.eye(12) * 0.75 + 0.25 * np.eye(12)[::-1]
    grid = alignment_grid(LONG, LONG, weights, caption="α", width=46, color=False)
    row = next(line for line in grid.splitlines() if line.endswith(" Mehrere"))
    assert row == "#" + " " * 21 + ":  Mehrere"


def test_hindi_rows_cannot_move_cells_whatever_width_the_terminal_gives_them() -> None:
    target = ["स्टेशन", "कहाँ", "है", "?"]
    grid = alignment_grid(
        SOURCE, target, WEIGHTS[:4], caption=CAPTION, width=80, color=False
    ).splitlines()
    for line, word in zip(grid[2:6], target, strict=True):
        assert line.endswith(f" {word}")
        assert len(line.removesuffix(f" {word}")) in (24, 25)
        assert line.isprintable()


def test_nothing_stands_to_the_right_of_a_hindi_column_name() -> None:
    source = ["विद्यार्थियों", "के", "साथ", "गया"]
    grid = alignment_grid(source, ["x"], spread(1, 4), caption="α", width=80, color=True)
    lines = without_escapes(grid).splitlines()
    assert [line.split()[-1] for line in lines[:3]] == ["विद्यार्थियों", "साथ", "गया"]
    assert lines[2] == " │   के   │   गया"


def test_control_characters_in_words_reach_no_terminal() -> None:
    grid = alignment_grid(["a\x1b[2J", "b\n"], ["c\t"], [[0.4, 0.6]], caption="α", color=False)
    assert "\x1b" not in grid
    assert len(grid.splitlines()) == 5


def test_no_words_leave_the_caption() -> None:
    for source, target in (([], []), (["a"], []), ([], ["b"])):
        weights = np.zeros((len(target), len(source)))
        grid = alignment_grid(source, target, weights, caption="α", width=40, color=False)
        assert grid.splitlines()[-1] == "α (per cent)"


def test_wrong_weights_are_refused() -> None:
    with pytest.raises(RegardError, match=r"\(5, 3\); got \(3, 5\)\. Did you transpose it\?"):
        alignment_grid(SOURCE[:3], TARGET, WEIGHTS[:3], caption=CAPTION)
    for bad in (-0.1, 1.2, float("nan")):
        with pytest.raises(RegardError, match="weights must be from 0 to 1"):
            alignment_grid(["a"], ["b"], [[bad]], caption=CAPTION)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_color_is_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert takes_color(Terminal())
    assert not takes_color(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not takes_color(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not takes_color(Terminal())


def test_color_asked_for_is_given_under_no_color_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in alignment_grid(SOURCE, TARGET, WEIGHTS, caption=CAPTION, color=True)


def test_terminal_width_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    narrow = alignment_grid(LONG, ["x"], spread(1, 12), caption="α", color=True)
    monkeypatch.setenv("COLUMNS", "100")
    assert alignment_grid(LONG, ["x"], spread(1, 12), caption="α", color=True) != narrow


def test_a_name_is_cut_between_letters_and_fits_its_cells() -> None:
    assert fitted("नमस्ते", 3) == "नम…"
    assert fitted("कुकुकु", 2) == "कु…"
    assert fitted("東京都", 4) == "東…"  # two cells each
    assert fitted("cafe\u0301", 4) == "cafe\u0301"
