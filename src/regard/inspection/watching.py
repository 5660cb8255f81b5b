"""Watching the inputs and outputs of modules, in the calling thread only.

PyTorch's hooks belong to a module and run in every thread that runs it. The hooks set here do
nothing outside the context that set them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn


Before = Callable[[Any, tuple[Any, ...], dict[str, Any]], None]
"""Called with a module, its positional and its keyword arguments."""

After = Callable[[Any, tuple[Any, ...], Any], Any]
"""Called with a module, its positional arguments and its output; anything but None that it returns
replaces the output."""

_watches: ContextVar[frozenset[Watch]] = ContextVar("watches", default=frozenset())


@contextmanager
def watching(
    modules: Iterable[nn.Module], *, before: Before | None = None, after: After | None = None
) -> Iterator[None]:
    """Call `before` and `after` whenever this context runs one of the modules."""
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

    # PyTorch registers a hook first and its flag for keyword arguments after it: another thread
    # that runs the module in between calls the hook without them.
    def enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: Any = None) -> None:
        if self.before is not None and self in _watches.get():
            self.before(module, args, kwargs)

    def leave(self, module: nn.Module, args: tuple[Any, ...], output: object) -> object:
        if self.after is None or self not in _watches.get():
            return None
        return self.after(module, args, output)

    def __reduce__(self) -> tuple[type[Watch], tuple[()]]:
        return Watch, ()  # in a copied or pickled module, a hook that does nothing
