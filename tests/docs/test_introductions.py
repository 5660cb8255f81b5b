"""The table of what the introductions show, and the examples that are run for it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "introductions.md").read_text(encoding="utf-8")
MISLEAD = (ROOT / "docs" / "mislead.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.split("|")[1:-1])
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| from the")
]


def test_a_row_says_what_is_shown_where_and_by_which_command():
    assert len(ROWS) > 30
    assert {len(row) for row in ROWS} == {3}


def test_every_example_of_the_introductions_is_run_on_one_of_the_pages():
    examples = {path.name for path in (ROOT / "examples").glob("intro_*.py")}
    run = set(re.findall(r"^\$ python examples/(intro_\w+\.py)", PAGE + MISLEAD, re.M))
    assert len(examples) > 10
    assert run == examples
    assert all(re.search(rf"`python examples/{name}[ `]", PAGE) for name in examples)
