"""What `import regard` promises: these names, and nothing heavy before they are used."""

import subprocess
import sys

import pytest

import regard

NAMES = [
    "BadArgumentError",
    "DamagedFileError",
    "NotFoundError",
    "RegardError",
    "UnavailableError",
    "UnsupportedError",
    "__version__",
    "attend",
    "attention_weights",
    "evaluate",
    "from_pretrained",
    "load",
    "pipeline",
    "trace",
    "train",
]


def test_the_names_are_these():
    assert regard.__all__ == NAMES


def test_every_name_is_there():
    assert [name for name in NAMES if getattr(regard, name) is None] == []
    assert {*NAMES} <= {*dir(regard)}


def test_a_name_is_the_one_of_its_home():
    from regard.attention import attend
    from regard.checkpoints import from_pretrained
    from regard.tasks.loading import load

    assert regard.attend is attend
    assert regard.from_pretrained is from_pretrained
    assert regard.load is load


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'regard' has no attribute 'attent'"):
        regard.attent  # noqa: B018


def test_errors_are_value_errors():
    assert issubclass(regard.RegardError, ValueError)


def test_importing_regard_imports_nothing_heavy():
    program = "import sys, regard; print(sorted(m for m in sys.modules if '.' not in m))"
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    loaded = set(eval(shown))
    assert "regard" in loaded
    assert not loaded & {"torch", "numpy", "tokenizers", "safetensors", "typer", "rich"}


def test_the_package_says_that_it_is_typed():
    from importlib.resources import files

    assert (files("regard") / "py.typed").is_file()
