"""What a type checker and an editor know of `regard.train`, from the classes of its options.

python tools/option_types.py > src/regard/tasks/training.pyi
"""

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from regard.tasks.catalog import TRAINED
from regard.tasks.training import HELD

HEAD = '''"""Types of `regard.train`, written by tools/option_types.py."""

import os
from typing import Literal, TypedDict, Unpack, overload

from regard.data.tables import Table
{imports}

File = str | os.PathLike[str]'''
PAIRS = "tuple[File, File] | list[File] | "
OVERLOAD = """@overload
def train(
    task: Literal["{task}"],
    data: {data},
    output: File,
    **options: Unpack[{arguments}],
) -> {returned}: ..."""


def option_types() -> str:
    """The stub: a TypedDict of the options that all tasks have, and one and an overload a task."""
    tasks = {name: _options(kind.training.options_class()) for name, kind in TRAINED.items()}
    first, *others = tasks.values()
    shared = {
        option: hint
        for option, hint in first.items()
        if all(other.get(option) == hint for other in others)
    }
    models = {name: kind.task_class() for name, kind in TRAINED.items()}
    classes = {name: (model.__module__, model.__name__) for name, model in models.items()}
    imports = sorted(f"from {module} import {name}" for module, name in classes.values())
    parts = [HEAD.format(imports="\n".join(imports))]
    parts.append(_typed_dict("Arguments", "TypedDict", "Options of every task.", shared))
    for name, options in tasks.items():
        own = {option: hint for option, hint in options.items() if option not in shared}
        parts.append(_typed_dict(class_name(name), "Arguments", f'Options of "{name}".', own))
    overloads = [
        OVERLOAD.format(
            task=name,
            data=f"File | {PAIRS * (name == 'translation')}Table",
            arguments=class_name(name),
            returned=returned,
        )
        for name, (_, returned) in classes.items()
    ]
    return "\n\n".join(parts) + "\n\n" + "\n".join(overloads) + "\n"


def class_name(task: str) -> str:
    """Of a task's TypedDict."""
    return f"{task.title().replace('-', '')}Arguments"


def _options(kind: Any) -> dict[str, str]:
    """The options of a class, and their types as source; `output` is an argument of its own."""
    hints = get_type_hints(kind)
    left_out = kind.not_used() | {"output", "evaluation"}
    return {
        name: "Table | " * (name in HELD) + inspect.formatannotation(hints[name])
        for name in kind.settings()
        if name not in left_out
    }


def _typed_dict(name: str, base: str, about: str, options: Mapping[str, str]) -> str:
    lines = [f"class {name}({base}, total=False):", f'    """{about}"""', ""]
    return "\n".join([*lines, *(f"    {option}: {hint}" for option, hint in options.items())])


if __name__ == "__main__":
    print(option_types(), end="")
