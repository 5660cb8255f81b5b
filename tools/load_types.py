"""What a type checker and an editor know of `regard.load` and `regard.pipeline`.

python tools/load_types.py
"""

from collections.abc import Iterable
from pathlib import Path

from regard.checkpoints import shipped
from regard.tasks import catalog
from regard.tasks.pipelines import SHIPPED
from regard.tasks.pipelines.arguments import ALIASES, ARGUMENTS, done_by

TASKS = Path(__file__).parents[1] / "src" / "regard" / "tasks"
LOADING = '''"""Types of `regard.load`, written by tools/load_types.py."""

import os
from typing import Literal, overload

{imports}

Name = str | os.PathLike[str]
'''
PIPELINES = '''"""Types of `regard.pipeline`, written by tools/load_types.py."""

from typing import Any, Literal, overload

{imports}
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
    """The stub of `regard.load`: an overload for each shipped model and for each task."""
    loaded = _loaded()
    arguments = [
        (f'name: Literal["{name}"], task: None = None', loaded[model.kind][1])
        for name, model in shipped.SHIPPED.items()
        if model.kind in loaded
    ]
    arguments += [
        (f'name: Name, task: Literal["{task}"]', name) for task, (_, name) in loaded.items()
    ]
    arguments.append(("name: Name, task: str | None = None", "Task"))
    overloads = [OVERLOAD.format(arguments=one, returned=name) for one, name in arguments]
    end = "def task_class(kind: str) -> type[Task]: ..."
    return "\n".join([LOADING.format(imports=_imports(loaded)), *overloads, end]) + "\n"


def pipeline_types() -> str:
    """The stub of `regard.pipeline`: an overload for each class of models."""
    loaded = _loaded()
    pipelines: dict[str, list[str]] = {}
    for task in [*ARGUMENTS, *ALIASES, *SHIPPED]:
        name = "translation" if task in SHIPPED else done_by(ALIASES.get(task, task))
        pipelines.setdefault(name, []).append(f'"{task}"')
    overloads = []
    for task, tasks in pipelines.items():
        model = "Model | None = None" if task == "translation" else "Model"
        listed = ", ".join(tasks)
        names = f"Literal[{listed}]" if len(listed) < 80 else f"Literal[\n        {listed}\n    ]"
        overloads.append(PIPELINE.format(task=names, model=model, returned=loaded[task][1]))
    anything = {"task": "str | None = None", "model": "Model | None = None", "returned": "Task"}
    overloads.append(PIPELINE.format(**anything))
    taken = {task: loaded[task] for task in pipelines}
    more = [("regard.tasks.pipelines", name) for name in ("Device", "Model", "Pipeline")]
    return "\n".join([PIPELINES.format(imports=_imports(taken, more)), *overloads]) + "\n"


def _loaded() -> dict[str, tuple[str, str]]:
    """The module and the name of the class that is loaded for each task."""
    models = {task: catalog.KINDS[task].task_class() for task in catalog.LOADED}
    return {task: (model.__module__, model.__name__) for task, model in models.items()}


def _imports(loaded: dict[str, tuple[str, str]], more: Iterable[tuple[str, str]] = ()) -> str:
    classes: dict[str, set[str]] = {}
    for module, name in [*loaded.values(), ("regard.engine.task", "Task"), *more]:
        classes.setdefault(module, set()).add(name)
    return "\n".join(
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(classes.items())
    )


if __name__ == "__main__":
    (TASKS / "loading.pyi").write_text(load_types(), "utf-8")
    (TASKS / "pipeline.pyi").write_text(pipeline_types(), "utf-8")
