"""The page of the tasks is what the declarations say."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_that_of_the_declarations() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "task_reference.py"))
    assert tool["PAGE"].read_text("utf-8") == tool["page"](), "run `python tools/task_reference.py`"
