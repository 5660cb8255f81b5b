"""A command that is made when it is called or explained, not whenever the program starts."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand


class LazyCommand(TyperCommand):
    """For `@app.command(cls=LazyCommand)`: the decorated function returns the command's function.

    Only the name and the help, which are the decorated function's, are there before that.
    """

    def __init__(self, name: str | None, *, callback: Callable[[], Any], **settings: Any) -> None:
        super().__init__(name, **settings)
        self._make: Callable[[], Any] | None = callback

    def get_params(self, ctx: Any) -> list[Any]:
        if self._make is not None:
            app = typer.Typer(add_completion=False)
            app.command(self.name)(self._make())
            made = typer.main.get_command(app)
            self.params, self.callback, self._make = made.params, made.callback, None
        return super().get_params(ctx)
