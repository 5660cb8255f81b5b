"""A type checker knows every option of every task, from the classes that declare them."""

import runpy
from pathlib import Path
from typing import get_type_hints

import pytest

from regard.data.tables import Table
from regard.tasks.catalog import TRAINED
from regard.tasks.training import HELD

ROOT = Path(__file__).parents[2]
STUB = ROOT / "src" / "regard" / "tasks" / "training.pyi"
TOOL = runpy.run_path(str(ROOT / "tools" / "option_types.py"))


def test_the_types_are_those_of_the_options() -> None:
    assert STUB.read_text("utf-8") == TOOL["option_types"](), (
        "run `python tools/option_types.py > src/regard/tasks/training.pyi`"
    )


@pytest.mark.parametrize("task", TRAINED)
def test_a_task_takes_its_options_and_no_others(task: str) -> None:
    kind = TRAINED[task].training.options_class()
    found = get_type_hints(runpy.run_path(str(STUB))[TOOL["class_name"](task)])
    hints = get_type_hints(kind)
    assert found == {
        name: hints[name] | Table if name in HELD else hints[name]
        for name in kind.settings().keys() - kind.not_used() - {"output"}
    }
