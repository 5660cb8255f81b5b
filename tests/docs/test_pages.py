"""The pages: all in the navigation, no link into nothing, no number typed by hand."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MADE = {"reference/commands.md", "benchmarks.md", "road/whole.md"}  # by `make docs`
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PROJECT = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]


def name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def entries(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for entry in nav if isinstance(nav, list) else []:
        for below in entry.values():
            yield from entries(below)


def test_the_navigation_has_every_page_once_and_no_other():
    listed = list(entries(PROJECT["nav"]))
    assert len(listed) == len(set(listed))
    assert set(listed) == {name(page) for page in PAGES} | MADE


def test_the_road_lists_its_pages_in_the_order_of_the_navigation():
    listed = [page for page in entries(PROJECT["nav"]) if page.startswith("road/")]
    result = re.findall(
        r"^\| \[.*?\]\((\S+\.md)\)", (DOCS / "road/index.md").read_text("utf-8"), re.M
    )
    assert ["road/index.md", *(f"road/{page}" for page in result), "road/whole.md"] == listed


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_pictures_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    programs = "".join(FENCE.findall(text))
    prose = FENCE.sub("", text)
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
        target = (page.parent / link).resolve()
        drawers = re.findall(r"(\w+)\.py", programs)
        drawn = link in programs or any(Path(link).stem.startswith(each) for each in drawers)
        made = target.relative_to(DOCS).as_posix() in MADE
        assert target.exists() or drawn or made, link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pictures_are_described(page):
    assert "![](" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted((DOCS / "road").glob("*.md")), ids=name)
def test_no_number_that_is_measured_is_typed(page):
    prose = re.sub(r"`[^`]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    assert re.findall(r"\d+[.,]\d+|\d+ ?(?:%|dB|ms|times)", prose) == []


def test_every_example_is_on_the_road():
    shown = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "road").glob("*.md"))
    examples = [*(ROOT / "examples").glob("[0-9]*.py"), *(ROOT / "examples").glob("why_*.py")]
    missing = {path.stem for path in examples if f"python examples/{path.name}" not in shown}
    assert examples
    assert missing == set()
