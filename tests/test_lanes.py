"""fixtures/lanes.py: a folder is a lane, and what is said to be long is there."""

from pathlib import Path

from fixtures.lanes import LONGEST, lane_of

ROOT = Path(__file__).parents[1]


def test_a_folder_is_a_lane_and_so_is_a_file_of_tests_itself():
    names = ("tests/browser/test_map.py::test_a[1]", "tests/browser/test_why.py::test_b")
    assert {lane_of(name) for name in names} == {"tests/browser"}
    assert lane_of("tests/cli/commands/test_look.py::test_a[x::y]") == "tests/cli/commands"
    assert lane_of("tests/test_files.py::test_a[x::y]") == "tests/test_files.py"


def test_the_longest_are_there():
    assert [name for name in LONGEST if not (ROOT / name).exists()] == []
    assert len(set(LONGEST)) == len(LONGEST)
