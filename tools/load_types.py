"""What a type checker and an editor know of `regard.load` and `regard.pipeline`.

python tools/load_types.py > src/regard/tasks/loading.pyi
"""

from regard.checkpoints import shipped
from regard.tasks import catalog
from regard.tasks.pipelines.arguments import ALIASES, ARGUMENTS, done_by
from regard.tasks.pipelines.pipelines import SHIPPED

HEAD = '''"""Types of `regard.load` and `regard.pipeline`, written by tools/load_types.py."""

import os
from typing import Any, Literal, overload

{imports}

Name = str | os.PathLike[str]
'''
OVERLOAD = """@overload
def load({arguments}) -> {returned}: ..."""
PIPELINE = """@overload
def pipeline(
    task: {task},
    model: {model},
    *,
    device: Device = None,
    **arguments: Any,
) -> Pipeline[{returned}]: ..."""


def load_types() -> str:
    """The stub: an overload for each shipped model and for each task."""
    models = {task: catalog.KINDS[task].task_class() for task in catalog.LOADED}
    loaded = {task: (model.__module__, model.__name__) for task, model in models.items()}
    classes = {
        "regard.engine.task": {"Task"},
        "regard.tasks.pipelines.pipelines": {"Device", "Model", "Pipeline"},
    }
    for module, name in loaded.values():
        classes.setdefault(module, set()).add(name)
    arguments = [
        (f'name: Literal["{name}"], task: None = None', loaded[model.kind][1])
        for name, model in shipped.SHIPPED.items()
        if model.kind in loaded
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
    pipelines: dict[str, list[str]] = {}
    for task in [*ARGUMENTS, *ALIASES, *SHIPPED]:
        name = "translation" if task in SHIPPED else done_by(ALIASES.get(task, task))
        pipelines.setdefault(name, []).append(f'"{task}"')
    for task, tasks in pipelines.items():
        model = "Model | None = None" if task == "translation" else "Model"
        names = f"Literal[{', '.join(tasks)}]"
        overloads.append(PIPELINE.format(task=names, model=model, returned=loaded[task][1]))
    anything = {"task": "str | None = None", "model": "Model | None = None", "returned": "Task"}
    overloads.append(PIPELINE.format(**anything))
    end = "def task_class(kind: str) -> type[Task]: ..."
    return "\n".join([HEAD.format(imports=imports), *overloads, end]) + "\n"


if __name__ == "__main__":
    print(load_types(), end="")
