import re
import tomllib
from pathlib import Path

import pytest

from regard.errors import RegardError, optional_package, refusing

ROOT = Path(__file__).parents[1]
SOURCES = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    message = r"^clouds need the package no-such>=3: pip install 'no-such>=3'\.$"
    with pytest.raises(RegardError, match=message), optional_package("no-such>=3", "clouds need"):
        import no_such  # noqa: F401


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), optional_package("no-such", "clouds need"):
        raise KeyError("a")


def test_whatever_a_files_values_cause_is_one_sentence() -> None:
    for cause in (KeyError("a"), RecursionError("deep"), AttributeError("no"), AssertionError()):
        message = rf"^a\.json is malformed \({type(cause).__name__}: .*\)\. Copy the file again"
        with pytest.raises(RegardError, match=message), refusing("a.json is malformed"):
            raise cause
    for kept in (RegardError("said already"), FileNotFoundError("a.json")):
        with pytest.raises(type(kept)) as raised, refusing("a.json is malformed"):
            raise kept
        assert raised.value is kept


def test_every_optional_package_is_in_an_extra() -> None:
    asked = {name for text in SOURCES for name in re.findall(r'optional_package\("([\w-]+)', text)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {
        re.match(r"[\w-]+", requirement)[0]
        for name, requirements in project["optional-dependencies"].items()
        if name not in ("dev", "docs")
        for requirement in requirements
    }
    assert len(asked) > 8
    assert asked <= extras


def test_nothing_tells_a_reader_to_install_regard_from_an_index() -> None:
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").glob("*.md"),
    ]
    texts = SOURCES + [page.read_text("utf-8") for page in pages]
    assert [text for text in texts if re.search(r"install [\"']?regard[\[\"'\s`]", text)] == []
