"""docs/whole_road.py: the road as a notebook has every program of its pages, in order."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import whole_road
    from commands import prompts
finally:
    sys.path.pop(0)

MADE = {"benchmarks.md", "reference/commands.md", "road/whole.md"}  # by `make docs`


@pytest.fixture
def road(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return whole_road


def test_the_pages_are_those_of_the_index():
    listed = whole_road.pages()
    assert {path.stem for path in listed} == {path.stem for path in whole_road.ROAD.glob("*.md")}
    assert listed[0].name == "index.md"


def test_the_notebook_has_every_program_once_and_in_order(road):
    sources = [cell["source"] for cell in road.notebook()["cells"] if cell["cell_type"] == "code"]
    said = "\n".join(sources)
    at = 0
    for page in road.pages():
        for language, mark, body in road.FENCE.findall(page.read_text("utf-8")):
            if mark == " run":
                for program in prompts(body) if language == "console" else [body.rstrip()]:
                    at = said.index(program, at)
    assert at


def test_python_cells_are_programs_and_others_are_bash_s(road):
    for cell in road.notebook()["cells"]:
        if cell["cell_type"] == "code" and not cell["source"].startswith(
            "%%bash\nset -eo pipefail"
        ):
            ast.parse(cell["source"])


def test_a_picture_is_shown_after_the_program_that_draws_it(road):
    page = "Text.\n\n```console run\n$ draw\n```\n\n![It](drawn.svg){.half}\n\nMore.\n"
    assert list(road.cells(page)) == [
        ("markdown", "Text."),
        ("code", "%%bash\nset -eo pipefail\ndraw"),
        ("markdown", ""),
        ("code", 'from IPython.display import SVG\n\nSVG("drawn.svg")'),
        ("markdown", "More."),
    ]


def test_links_of_the_notebook_lead_to_the_pages(road):
    for cell in road.notebook()["cells"]:
        if cell["cell_type"] == "markdown" and "```" not in cell["source"]:
            for link in road.LINK.findall(cell["source"]):
                target = (road.HOME / link.split("#")[0]).resolve()
                made = target.relative_to(ROOT / "docs").as_posix()
                assert target.exists() or made in MADE, link


def test_a_page_takes_as_long_as_the_index_says():
    index = (whole_road.ROAD / "index.md").read_text("utf-8")
    rows = re.findall(r"^\| \[.*?\]\((\S+)\) .*\| (\d+) \| (.+) \|$", index, re.MULTILINE)
    assert len(rows) == len(whole_road.pages()) - 1
    for name, minutes, know in rows:
        page = (whole_road.ROAD / name).read_text("utf-8")
        words = len(re.sub(r"```.*?```", "", page, flags=re.DOTALL).split())
        programs = len(re.findall(r"^```\w+ (?:run|source)", page, re.MULTILINE))
        assert abs(words / 150 + 1.5 * programs - int(minutes)) < 1
        assert know
