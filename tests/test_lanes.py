"""fixtures/lanes.py: a folder is a lane, long ones are divided, and each whole run is recorded."""

import json
from pathlib import Path

import pytest

from fixtures import lanes
from fixtures.lanes import COMMITTED, LONGEST, Lanes, divided, recorded, write

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]


def test_a_folder_is_a_lane_and_so_is_a_file_of_tests_itself():
    order = Lanes({"tests/browser/test_map.py": 3.0})
    names = ("tests/browser/test_map.py::test_a[1]", "tests/browser/test_new.py::test_b")
    assert {order.lane_of(name) for name in names} == {"tests/browser"}
    assert order.lane_of("tests/cli/commands/test_look.py::test_a[x::y]") == "tests/cli/commands"
    assert order.lane_of("tests/test_files.py::test_a[x::y]") == "tests/test_files.py"


def test_a_long_folder_is_divided_between_files_and_a_long_file_is_alone():
    half = LONGEST / 2
    folder = dict(a=half, b=half, c=1.0, d=2 * LONGEST, e=1.0)
    seconds = {f"tests/x/test_{name}.py": duration for name, duration in folder.items()}
    assert list(divided(seconds).values()) == [
        "tests/x",
        "tests/x",
        *(f"tests/x {k}" for k in "123"),
    ]


def test_the_first_table_that_can_be_read_counts(tmp_path):
    tables = [tmp_path / name / "durations.json" for name in ("damaged", "none", "one", "two")]
    tables[0].parent.mkdir()
    tables[0].write_text("{")
    write(tables[2], {"tests/test_b.py": 2.04, "tests/test_a.py": 1})
    write(tables[3], {"tests/test_a.py": 9})
    assert recorded(tables) == {"tests/test_a.py": 1, "tests/test_b.py": 2.0}
    assert recorded(tables[:2]) == {}


def test_the_committed_table_is_of_files_that_are_there():
    files = json.loads(COMMITTED.read_text())
    assert [name for name in files if not (ROOT / name).is_file()] == []


@pytest.fixture
def suite(pytester, monkeypatch) -> Path:
    """Three files of tests, of which the second took longest, and where their run is recorded."""
    monkeypatch.setattr(lanes, "SLOW", -1.0)  # every test is one that has to say why it takes long
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(lanes, "RECORDED", pytester.path / "build" / "durations.json")
    marked = "import pytest\n@pytest.mark.long('why')\ndef test_c(): ..."
    texts = {"a": "def test_a(): ...", "b": "def test_b(): ...", "c": marked}
    pytester.makepyfile(**{f"{name}/test_{name}": text for name, text in texts.items()})
    pytester.makeini("[pytest]\ntestpaths = .\nmarkers = long")
    return lanes.RECORDED


def test_a_run_begins_with_what_may_be_the_longest_and_is_recorded(suite, pytester):
    write(suite, {"a/test_a.py": 1, "b/test_b.py": 7, "gone/test_d.py": 9})
    found = pytester.runpytest_inprocess("-p", "fixtures.lanes", "-v")
    assert found.ret == 0
    found.stdout.re_match_lines(["c/test_c.*", "b/test_b.*", "a/test_a.*"])
    assert list(json.loads(suite.read_text())) == [f"{name}/test_{name}.py" for name in "abc"]


def test_a_test_that_takes_long_says_why_or_is_named_at_the_end(suite, pytester):
    found = pytester.runpytest_inprocess("-p", "fixtures.lanes")
    assert found.ret == 0
    found.stdout.re_match_lines([".*@pytest.mark.long.*", ".* s [ab]/test_[ab].py::test_[ab]"])
    found.stdout.no_re_match_line(".* s c/test_c.py::test_c")


@pytest.mark.parametrize("chosen", [("-k", "test_a"), ("a/test_a.py",)])
def test_a_run_of_some_tests_is_not_recorded(suite, pytester, chosen):
    pytester.runpytest_inprocess("-p", "fixtures.lanes", *chosen)
    assert not suite.exists()
