"""The table of what the introductions show: each row has a command that can be run."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "introductions.md").read_text(encoding="utf-8")
MISLEAD = (ROOT / "docs" / "mislead.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.split("|")[1:-1])
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| from the")
]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import commands
finally:
    sys.path.pop(0)


def test_a_row_says_what_is_shown_where_and_by_which_command():
    assert len(ROWS) > 30
    assert {len(row) for row in ROWS} == {3}


@pytest.mark.parametrize(("shown", "where", "command"), ROWS)
def test_a_row_has_a_command_that_works_or_says_that_it_is_missing(shown, where, command):
    if where == "not here yet":
        assert not command
        return
    text = command.strip("`")
    if text.startswith("python "):
        assert (ROOT / text.split()[1]).exists()
    else:
        assert text.startswith("regard ")
        assert commands.refusal(commands.Command("introductions.md", 1, text, "")) is None


@pytest.mark.parametrize(("shown", "where", "command"), ROWS)
def test_a_section_that_a_row_names_is_on_the_page(shown, where, command):
    if section := re.search(r"\(#(.*?)\)", where):
        titles = [title.replace("*", "").lower() for title in re.findall("^## (.*)$", PAGE, re.M)]
        assert section[1] in [re.sub(r"[^\w ]", "", title).replace(" ", "-") for title in titles]


def test_every_example_of_the_introductions_is_run_on_one_of_the_pages():
    examples = {path.name for path in (ROOT / "examples").glob("intro_*.py")}
    run = set(re.findall(r"^\$ python examples/(intro_\w+\.py)", PAGE + MISLEAD, re.M))
    assert len(examples) > 10
    assert run == examples
    assert all(re.search(rf"`python examples/{name}[ `]", PAGE) for name in examples)
