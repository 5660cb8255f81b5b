"""Each example as a module, imported from an empty folder that has its file, its data and no more;
and one run of it."""

import importlib.util
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from inspect import signature
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
QUICK = {
    "08_query_key_value": {"STEPS": 200},
    "09_heads": {"STEPS": 250},
    "intro_image_text": {"STEPS": 300},
    "intro_unscaled": {"STEPS": 12, "HEAD_DIMS": (8,)},
    "why_path_length": {"LENGTH": 8, "STEPS": 140},
}
SECONDS = 60  # of processor time; a core that is shared with other work counts double


@dataclass(frozen=True)
class Run:
    """What an example returned, printed and drew."""

    numbers: dict[str, float]
    printed: str
    drawn: set[str]  # names of files


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ModuleType]:
    """An example by the name of its file."""

    @cache
    def load(name: str) -> ModuleType:
        alone = tmp_path_factory.mktemp(name)
        program = Path(shutil.copy(FOLDER / f"{name}.py", alone))
        for data in FOLDER.glob("*.tsv"):
            if data.name in program.read_text(encoding="utf-8"):
                shutil.copy(data, alone)
        spec = importlib.util.spec_from_file_location(f"example_{name}", program)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def ran(
    example: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Run]:
    """An example's run, without a network, within a minute, which writes into its output alone."""

    def refuse(*_: object) -> None:
        raise OSError("an example asked for the network")

    @cache
    def run(name: str) -> Run:
        module, here = example(name), tmp_path_factory.mktemp(name)
        output = tmp_path_factory.mktemp(name) / "new" / "folder"
        options = {"output": output} if "output" in signature(module.main).parameters else {}
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
            patch.chdir(here)
            patch.setattr(socket.socket, "connect", refuse)
            for constant, value in QUICK.get(name, {}).items():
                patch.setattr(module, constant, value)
            started = time.process_time()
            numbers = module.main(**options)
            assert time.process_time() - started < SECONDS
        assert not list(here.iterdir())
        drawn = {path.name for path in output.iterdir()} if output.exists() else set()
        return Run(numbers, printed.getvalue(), drawn)

    return run


@pytest.fixture(scope="session")
def numbers(ran: Callable[[str], Run]) -> Callable[[str], dict[str, float]]:
    """What an example measures."""
    return lambda name: ran(name).numbers
