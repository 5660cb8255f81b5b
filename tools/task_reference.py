"""Writes the page of the tasks, docs/reference/tasks.md: `python tools/task_reference.py`."""

from pathlib import Path
from typing import Any, get_args, get_origin

from regard.engine.result import Float32, shape
from regard.tasks import catalog

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "tasks.md"
HEAD = """# Tasks

Every task is declared once, in its folder in `regard/tasks/`. Its command, its route `/run/…` and
`Task.run_rows` in Python have these inputs, options and results.
"""


def page() -> str:
    """The page that there should be now."""
    return "\n".join([HEAD, *(_task(verb) for verb in catalog.VERBS)])


def _task(verb: str) -> str:
    kind = catalog.doing(verb)
    inputs = [
        [f"`{each.name}`", each.help + (", if any" if each.optional else "")]
        for each in kind.inputs
    ]
    options = [
        [
            f"`{name}`",
            setting.metadata["help"],
            str(setting.metadata["bounds"]) or ", ".join(setting.metadata["choices"]),
            setting.metadata["shown"] or str(setting.default),
        ]
        for name, setting in kind.options_class().settings().items()
    ]
    result = [
        [f"`{name}`", f"`{_type(hint)}`", "if asked for" if type(None) in get_args(hint) else ""]
        for name, hint in shape(kind.result_class()).items()
    ]
    return "\n".join(
        [
            f"## {verb}\n\n{kind.summary} `regard.load` names the task `{catalog.VERBS[verb]}`.\n",
            _table(["input", "meaning"], inputs),
            _table(["option", "meaning", "values", "default"], options),
            _table(["part of the result", "type", ""], result),
        ]
    )


def _type(hint: Any) -> str:
    if hint == Float32:
        return "float"
    inner = [each for each in get_args(hint) if each is not type(None)]
    if get_origin(hint) is list:
        return f"list[{_type(inner[0])}]"
    return _type(inner[0]) if inner else str(hint.__name__)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
