"""The examples as modules: imported from their folder, as Python does that is given the script."""

import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def example() -> Iterator[Callable[[str], ModuleType]]:
    """An example, or what examples share, by the name of its file."""

    @cache
    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        yield load


@pytest.fixture(scope="session")
def numbers(
    example: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, float]]:
    """What an example measures when no folder is given, where it must write nothing."""

    @cache
    def measure(name: str) -> dict[str, float]:
        here = tmp_path_factory.mktemp(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(here)
            measured: dict[str, float] = example(name).main()
        assert not list(here.iterdir())
        return measured

    return measure
