"""What a type checker and an editor know of `regard.load`, from the declarations of the tasks.

python tools/load_types.py > src/regard/api/loading.pyi
"""

from regard import catalog

HEAD = '''"""Types of `regard.load`, written by tools/load_types.py."""

import os
from typing import Literal, overload

{imports}

Name = str | os.PathLike[str]
'''
OVERLOAD = """@overload
def load({arguments}) -> {returned}: ..."""


def load_types() -> str:
    """The stub: an overload for each shipped model and for each task."""
    loaded = {task: catalog.KINDS[task].task.split(":") for task in catalog.LOADED}
    classes: dict[str, set[str]] = {"regard.tasks.task": {"Task"}}
    for module, name in loaded.values():
        classes.setdefault(module, set()).add(name)
    arguments = [
        (f'name: Literal["{name}"], task: None = None', loaded[shipped.kind][1])
        for name, shipped in catalog.SHIPPED.items()
        if shipped.kind in loaded
    ]
    arguments += [
        (f'name: Name, task: Literal["{task}"]', name) for task, (_, name) in loaded.items()
    ]
    arguments.append(("name: Name, task: str | None = None", "Task"))
    imports = "\n".join(
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(classes.items())
    )
    overloads = [OVERLOAD.format(arguments=one, returned=name) for one, name in arguments]
    end = "def task_class(kind: str) -> type[Task]: ..."
    return "\n".join([HEAD.format(imports=imports), *overloads, end]) + "\n"


if __name__ == "__main__":
    print(load_types(), end="")
