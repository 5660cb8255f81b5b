"""fixtures/lanes.py: the browser's files are one lane, and what is said to be long is there."""

from pathlib import Path

from fixtures.lanes import BROWSER, LONGEST, lane_of

ROOT = Path(__file__).parents[1]


def test_the_browser_s_files_are_one_lane_and_every_other_file_is_one():
    names = ("tests/browser/test_map.py::test_a[1]", "tests/browser/test_why.py::test_b")
    assert {lane_of(name) for name in names} == {BROWSER}
    assert lane_of("tests/test_files.py::test_a[x::y]") == "tests/test_files.py"


def test_the_longest_files_are_there():
    assert [name for name in (BROWSER, *LONGEST) if not (ROOT / name).exists()] == []
    assert len(set(LONGEST)) == len(LONGEST)
