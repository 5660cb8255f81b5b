"""Imports: of public names when they are first used, and of much at once."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def later(
    package: dict[str, Any], home: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: its globals().
        home: the module of each name.
    """

    def getattribute(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        # The next look-up finds it without coming here.
        value = package[name] = getattr(import_module(home[name]), name)
        return value

    return getattribute, lambda: sorted({*package, *home})


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a block of imports without garbage collection: they leave no garbage, and the search for
    it takes a tenth of their time. What they made is not searched later either."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
