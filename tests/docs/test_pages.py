"""The pages: all in the navigation, every example on the road."""

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


def test_every_example_is_on_the_road():
    shown = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "road").glob("*.md"))
    examples = [*(ROOT / "examples").glob("[0-9]*.py"), *(ROOT / "examples").glob("why_*.py")]
    missing = {path.stem for path in examples if f"python examples/{path.name}" not in shown}
    assert examples
    assert missing == set()


def test_the_film_of_a_pull_is_short_and_small():
    film = DOCS / "images" / "pull.webp"
    assert film.stat().st_size <= 1.5e6
    Image = pytest.importorskip("PIL.Image")
    with Image.open(film) as moving:
        seconds = 0.0
        for frame in range(moving.n_frames):
            moving.seek(frame)
            moving.load()
            seconds += moving.info["duration"] / 1000
    assert moving.n_frames > 20
    assert 5 <= seconds <= 7
