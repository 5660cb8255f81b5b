"""Seeing what goes into modules and comes out of them, in the thread that asks alone.

PyTorch's hooks belong to a module and are run by every thread that runs it. The ones set here do
nothing outside of the context that set them.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from torch import nn

Before = Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], None]
"""Is called with a module and its arguments, positional and by name."""

After = Callable[[nn.Module, tuple[Any, ...], Any], None]
"""Is called with a module, its positional arguments and what it returned."""

_watches: "ContextVar[frozenset[Watch]]" = ContextVar("watches", default=frozenset())


@contextmanager
def watching(
    modules: Iterable[nn.Module], *, before: Before | None = None, after: After | None = None
) -> Iterator[None]:
    """Within it, `before` and `after` are called whenever this context runs one of the modules."""
    watch = Watch(before, after)
    with ExitStack() as stack:
        for module in modules:
            if before is not None:
                hook = module.register_forward_pre_hook(watch.enter, with_kwargs=True)
                stack.callback(hook.remove)
            if after is not None:
                stack.callback(module.register_forward_hook(watch.leave).remove)
        token = _watches.set(_watches.get() | {watch})
        try:
            yield
        finally:
            _watches.reset(token)


class Watch:
    """The hooks of one `watching`."""

    def __init__(self, before: Before | None = None, after: After | None = None) -> None:
        self.before, self.after = before, after

    # PyTorch notes that a hook takes keyword arguments after the hook itself, so a thread that runs
    # the module in between calls it without them.
    def enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: Any = None) -> None:
        if self.before is not None and self in _watches.get():
            self.before(module, args, kwargs)

    def leave(self, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        if self.after is not None and self in _watches.get():
            self.after(module, args, output)

    def __reduce__(self) -> tuple[type["Watch"], tuple[()]]:
        return Watch, ()  # what a module takes along that is copied or pickled meanwhile: nothing
