"""The types of the options of training, from the classes that declare them.

python tools/option_types.py > src/regard/api/option_types.py
"""

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from regard.api.taught import TAUGHT

HEAD = '''"""Options of `regard.train` for type checkers and editors: tools/option_types.py."""

from typing import TypedDict
'''


def option_types() -> str:
    """The module: a TypedDict of the options that all tasks have, and one for each task."""
    tasks = {name: _options(taught.options_class()) for name, taught in TAUGHT.items()}
    first, *others = tasks.values()
    shared = {
        option: hint
        for option, hint in first.items()
        if all(other.get(option) == hint for other in others)
    }
    parts = [HEAD, _typed_dict("Arguments", "TypedDict", "Options of every task.", shared)]
    for name, options in tasks.items():
        own = {option: hint for option, hint in options.items() if option not in shared}
        parts.append(_typed_dict(class_name(name), "Arguments", f'Options of "{name}".', own))
    return "\n\n".join(parts)


def class_name(task: str) -> str:
    """Of a task's TypedDict."""
    return f"{task.title().replace('-', '')}Arguments"


def _options(kind: Any) -> dict[str, str]:
    """The options of a class, and their types as source; `output` is an argument of its own."""
    hints = get_type_hints(kind)
    left_out = kind.not_used() | {"output"}
    return {
        name: inspect.formatannotation(hints[name])
        for name in kind.settings()
        if name not in left_out
    }


def _typed_dict(name: str, base: str, about: str, options: Mapping[str, str]) -> str:
    lines = [f"class {name}({base}, total=False):", f'    """{about}"""', ""]
    return "\n".join([*lines, *(f"    {option}: {hint}" for option, hint in options.items()), ""])


if __name__ == "__main__":
    print(option_types(), end="")
